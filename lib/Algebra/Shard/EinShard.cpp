//===- EinShard.cpp - divide sizes of a model among ranks -------------------===//
//
// Parameters that have a divided size are in parts, and with them what bodies compute from them (DivideBody). A result of
// a body that is in parts stays so on the way to the next, which is divided in its turn, and is put together where the
// first one needs the whole, or the model gives it. A state is in parts where its new value is, unless its body needs
// the whole of the old one.
//
//===----------------------------------------------------------------------===//
#include "Base/Bodies.h"
#include "DivideBody.h"
#include "Divided.h"
#include "plc/Algebra/Passes.h"
#include "plc/Support/Errors.h"
#include "plc/Support/PartName.h"
#include "plc/Support/StateName.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace plc::algebra {
#define GEN_PASS_DEF_EINSHARD
#include "lib/Algebra/Passes.h.inc"
} // namespace plc::algebra

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

namespace {

constexpr const char *shardKey = "parallelism.shard";

using AxisOf = DenseMap<StringAttr, int64_t>; // of parameters and states that are divided

StringAttr nameOf(StringAttr whole, int64_t axis, int64_t part, int64_t parts) {
  return StringAttr::get(whole.getContext(), partName({whole.getValue(), axis, part, parts}));
}

/// A model's calls, and the bodies that they name.
class ModelDivider {
public:
  /// Adds the axes of states to those of parameters.
  ModelDivider(ein::ModelOp model, AxisOf &axes, int64_t parts)
      : model(model), block(model.getBody().front()), symbols(model->getParentOp()), axes(axes), parts(parts) {}

  LogicalResult run() {
    arguments = llvm::to_vector_of<Value>(block.getArguments());
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
      if (auto call = dyn_cast<ein::CallOp>(op)) {
        if (failed(divideCall(call)))
          return failure();
      } else {
        for (OpOperand &operand : op.getOpOperands())
          makeWhole(operand);
      }
    divideResults();
    nameArguments();
    for (Operation *call : llvm::reverse(replaced))
      call->erase();
    block.eraseArguments([&](BlockArgument argument) { return divided.contains(argument); });
    model.setFunctionType(
        FunctionType::get(model.getContext(), block.getArgumentTypes(), block.getTerminator()->getOperandTypes()));
    nameBodies();
    return success();
  }

private:
  // Of each way to call a body the body that is called.
  struct Variant {
    ein::FuncOp body;
    DividedBody made;
  };

  std::optional<int64_t> axisOf(StringRef path) {
    auto found = axes.find(StringAttr::get(model.getContext(), path));
    return path.empty() || found == axes.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<int64_t> axisOf(Value value) const {
    auto found = divided.find(value);
    return found == divided.end() ? std::nullopt : std::optional(found->second.axis);
  }

  void addName(SmallVector<Attribute> &names, StringAttr name, std::optional<int64_t> axis) {
    for (int64_t part = 0; axis && part < parts; ++part) {
      StringAttr path = nameOf(StringAttr::get(model.getContext(), stateOf(name.getValue())), *axis, part, parts);
      names.push_back(StringAttr::get(model.getContext(), stateName(path.getValue())));
    }
    if (!axis)
      names.push_back(name);
  }

  // If an argument of a call is a state, of this call alone, and a result of it the state's new value: that result.
  std::optional<unsigned> newValueOf(ein::CallOp call, unsigned argument) {
    Value old = call.getArgs()[argument];
    const auto *at = llvm::find(arguments, old);
    if (at == arguments.end() || !old.hasOneUse())
      return std::nullopt;
    Attribute name = model.getArgNames()[at - arguments.begin()];
    if (stateOf(cast<StringAttr>(name).getValue()).empty())
      return std::nullopt;
    auto names = model.getResultNames();
    Value made = block.getTerminator()->getOperand(llvm::find(names, name) - names.begin());
    return made.getDefiningOp() == call ? std::optional(cast<OpResult>(made).getResultNumber()) : std::nullopt;
  }

  // With further states that are divided as their new values are.
  Axes withStates(ein::CallOp call, const Variant &variant, Axes ways) {
    for (unsigned argument = 0; argument < call.getArgs().size(); ++argument)
      if (!ways[argument] && !keptWhole.contains(call.getArgs()[argument]))
        if (std::optional<unsigned> result = newValueOf(call, argument))
          ways[argument] = variant.made.results[*result];
    return ways;
  }

  void divideState(Value state, int64_t axis) {
    auto whole = cast<BlockArgument>(state);
    Attribute name = model.getArgNames()[llvm::find(arguments, state) - arguments.begin()];
    axes.try_emplace(StringAttr::get(model.getContext(), stateOf(cast<StringAttr>(name).getValue())), axis);
    Divided &made = divided[whole];
    made.axis = axis;
    for (int64_t part = 0; part < parts; ++part)
      made.parts.push_back(block.insertArgument(whole.getArgNumber() + 1 + part, partType(whole.getType(), axis, parts),
                                                whole.getLoc()));
  }

  LogicalResult divideCall(ein::CallOp call) {
    Axes ways;
    for (Value value : call.getArgs())
      ways.push_back(axisOf(value));
    for (auto param : call.getParams().getAsRange<FlatSymbolRefAttr>())
      ways.push_back(axisOf(param.getValue()));
    Axes tried = ways;
    while (llvm::any_of(ways, [](auto axis) { return axis.has_value(); })) {
      FailureOr<Variant *> variant = variantOf(call, tried);
      if (failed(variant))
        return failure();
      for (unsigned argument : (*variant)->made.wholes) {
        if (ways[argument])
          makeWhole(call.getArgsMutable()[argument]);
        else
          keptWhole.insert(call.getArgs()[argument]);
        ways[argument] = std::nullopt;
      }
      Axes more = (*variant)->made.wholes.empty() ? withStates(call, **variant, tried) : ways;
      if (more == tried) {
        for (unsigned argument = 0; argument < call.getArgs().size(); ++argument)
          if (tried[argument] && !ways[argument])
            divideState(call.getArgs()[argument], *tried[argument]);
        replace(call, **variant);
        return success();
      }
      tried = more;
    }
    return success();
  }

  FailureOr<Variant *> variantOf(ein::CallOp call, const Axes &ways) {
    std::pair key(call.getCalleeAttr().getAttr().getValue().str(), std::vector(ways.begin(), ways.end()));
    auto [known, isNew] = variants.try_emplace(key);
    Variant &variant = known->second;
    if (!isNew)
      return &variant;
    auto whole = symbols.lookup<ein::FuncOp>(call.getCallee());
    variant.body = whole.clone();
    symbols.insert(variant.body, whole->getIterator());
    FailureOr<DividedBody> made = divideBody(variant.body, call, ways, parts);
    if (failed(made))
      return failure();
    variant.made = *made;
    if (!made->wholes.empty())
      symbols.erase(variant.body);
    else
      order.emplace_back(key.first, variant.body);
    return &variant;
  }

  void replace(ein::CallOp call, const Variant &variant) {
    SmallVector<Value> args;
    SmallVector<Attribute> params;
    for (Value value : call.getArgs())
      if (auto found = divided.find(value); found != divided.end())
        llvm::append_range(args, found->second.parts);
      else
        args.push_back(value);
    for (auto param : call.getParams().getAsRange<FlatSymbolRefAttr>()) {
      std::optional<int64_t> axis = axisOf(param.getValue());
      for (int64_t part = 0; axis && part < parts; ++part)
        params.push_back(FlatSymbolRefAttr::get(nameOf(param.getAttr(), *axis, part, parts)));
      if (!axis)
        params.push_back(param);
    }
    OpBuilder builder(call);
    ein::FuncOp body = variant.body;
    auto made =
        ein::CallOp::create(builder, call.getLoc(), body.getResultTypes(), body.getSymName(), args,
                            builder.getArrayAttr(params), call.getAccumulates(), call.getPath(), call.getTurnAttr());
    unsigned next = 0;
    for (auto [result, axis] : llvm::zip(call.getResults(), variant.made.results)) {
      if (!axis) {
        result.replaceAllUsesWith(made.getResult(next++));
        continue;
      }
      divided[result] = {*axis, llvm::to_vector_of<Value>(made.getResults().slice(next, parts))};
      next += parts;
    }
    replaced.push_back(call);
  }

  void nameArguments() {
    SmallVector<Attribute> names;
    SmallVector<int64_t> batch;
    for (auto [name, batchAxis, argument] :
         llvm::zip(model.getArgNames().getAsRange<StringAttr>(), model.getArgBatch(), arguments)) {
      addName(names, name, axisOf(argument));
      batch.append(axisOf(argument) ? parts : 1, batchAxis);
    }
    model.setArgNamesAttr(ArrayAttr::get(model.getContext(), names));
    model.setArgBatch(batch);
  }

  void makeWhole(OpOperand &operand) {
    auto found = divided.find(operand.get());
    if (found == divided.end())
      return;
    Value &whole = wholes[operand.get()];
    if (!whole) {
      OpBuilder builder(operand.getOwner());
      whole = join(builder, operand.get().getLoc(), operand.get().getType(), found->second);
    }
    operand.set(whole);
  }

  void divideResults() {
    Operation *end = block.getTerminator();
    SmallVector<Attribute> names;
    SmallVector<int64_t> batch;
    SmallVector<Value> results;
    for (auto [name, batchAxis, operand] :
         llvm::zip(model.getResultNames().getAsRange<StringAttr>(), model.getResultBatch(), end->getOpOperands())) {
      std::optional<int64_t> axis = axisOf(StringRef(stateOf(name.getValue())));
      addName(names, name, axis);
      batch.append(axis ? parts : 1, batchAxis);
      if (!axis || axisOf(operand.get()) != axis)
        makeWhole(operand);
      if (auto found = divided.find(operand.get()); found != divided.end()) {
        llvm::append_range(results, found->second.parts);
        continue;
      }
      OpBuilder builder(end);
      for (int64_t part = 0; axis && part < parts; ++part)
        results.push_back(sliceOf(builder, operand.get(), *axis, part, parts));
      if (!axis)
        results.push_back(operand.get());
    }
    end->setOperands(results);
    model.setResultNamesAttr(ArrayAttr::get(model.getContext(), names));
    model.setResultBatch(batch);
  }

  // Bodies that were tried only go; where all calls are divided, the first of theirs takes the name of the one they called.
  void nameBodies() {
    llvm::StringSet<> called;
    for (auto call : block.getOps<ein::CallOp>())
      called.insert(call.getCallee());
    for (auto &[name, body] : order) {
      if (!called.contains(body.getSymName())) {
        symbols.erase(body);
        continue;
      }
      if (!called.insert(name).second)
        continue;
      symbols.erase(symbols.lookup(name));
      if (failed(symbols.rename(body, name)))
        llvm_unreachable("the name is of nothing");
    }
  }

  ein::ModelOp model;
  Block &block;
  SymbolTable symbols;
  AxisOf &axes;
  int64_t parts;
  DenseMap<Value, Divided> divided;
  DenseMap<Value, Value> wholes;
  std::map<std::pair<std::string, std::vector<std::optional<int64_t>>>, Variant> variants;
  SmallVector<std::pair<std::string, ein::FuncOp>> order; // the bodies, and what they are made of
  SmallVector<Operation *> replaced;                      // calls
  SmallVector<Value> arguments;                           // of the model, as it was
  DenseSet<Value> keptWhole;                              // states
};

struct EinShard : algebra::impl::EinShardBase<EinShard> {
  using EinShardBase::EinShardBase;

  void runOnOperation() override {
    ein::ModelOp model = modelOf(getOperation());
    if (!model || failed(readSizes(model)) || failed(findAxes(model)))
      return signalPassFailure();
    if (!axes.empty() && failed(ModelDivider(model, axes, parts).run()))
      return signalPassFailure();
    for (auto param : llvm::make_early_inc_range(getOperation().getOps<ein::ParamOp>())) {
      param.removeSizesAttr();
      divide(param, [&](ein::ParamOp part, int64_t axis) { part.setType(partType(param.getType(), axis, parts)); });
    }
    for (auto state : llvm::make_early_inc_range(getOperation().getOps<ein::StateOp>()))
      divide(state, [](ein::StateOp, int64_t) {});
  }

private:
  // "F=2"
  LogicalResult readSizes(ein::ModelOp model) {
    for (const std::string &text : sizes) {
      auto [name, count] = StringRef(text).split('=');
      int64_t number = 0;
      if (name.empty() || count.getAsInteger(10, number) || number < 2)
        return emitKeyError(model, shardKey, "found '") << text << "', expected a size and its parts, as in 'F=2'";
      if (parts && parts != number)
        return emitKeyError(model, shardKey, "size '")
               << name << "' is divided in " << number << " parts and another one in " << parts
               << "; all that are divided need as many";
      parts = number;
      names.insert(name);
    }
    return success();
  }

  // The axis of each parameter that is divided: the first of those that may be.
  LogicalResult findAxes(ein::ModelOp model) {
    llvm::SetVector<StringRef> known, used;
    for (auto param : getOperation().getOps<ein::ParamOp>()) {
      if (!param.getSizes())
        continue;
      for (auto [axis, size] : llvm::enumerate(param.getSizes()->getAsValueRange<StringAttr>())) {
        if (!size.empty())
          known.insert(size);
        if (!names.contains(size))
          continue;
        used.insert(size);
        int64_t extent = cast<RankedTensorType>(param.getType()).getDimSize(axis);
        if (extent % parts)
          return emitKeyError(param, shardKey, "size '")
                 << size << "' is " << extent << " but is divided in " << parts << " parts";
        axes.try_emplace(param.getSymNameAttr(), axis);
      }
    }
    for (StringRef name : names)
      if (!used.contains(name))
        return emitKeyError(model, shardKey, "no parameter has an axis of size '")
               << name << "'; they have " << (known.empty() ? "no named sizes" : llvm::join(known, ", "));
    return success();
  }

  // Puts its parts in its place, each of which `finish` completes.
  template <class Op, class Finish>
  void divide(Op op, Finish finish) {
    auto axis = axes.find(op.getSymNameAttr());
    if (axis == axes.end())
      return;
    OpBuilder builder(op);
    for (int64_t part = 0; part < parts; ++part) {
      auto made = cast<Op>(builder.clone(*op));
      made.setSymNameAttr(nameOf(op.getSymNameAttr(), axis->second, part, parts));
      finish(made, axis->second);
    }
    op.erase();
  }

  int64_t parts = 0;
  llvm::SetVector<StringRef> names;
  AxisOf axes;
};

} // namespace
