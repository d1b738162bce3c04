//===- EinShard.cpp - divides sizes of a model among ranks ----------------===//
//
// Parameters that have a divided size are in shards, and so is what bodies compute from them (`DivideBody.h`). A result
// of a body that is in shards stays so on the way to the next body, which is divided in turn. It is joined where a body
// needs it whole, or where the model returns it. A state is in shards where its new value is, unless its body needs the
// whole old one.
//
//===----------------------------------------------------------------------===//
#include "Base/Bodies.h"
#include "DivideBody.h"
#include "Divided.h"
#include "plc/Algebra/Passes.h"
#include "plc/Dialect/Ein/Names.h"
#include "plc/Support/Errors.h"

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

using AxisOf = DenseMap<StringAttr, int64_t>; // of divided parameters and states, by name

// The symbol of a shard: `part(PATH, axis A, P of N)`.
StringAttr symbolOf(ein::ShardAttr shard) { return StringAttr::get(shard.getContext(), ein::textOf(shard)); }

/// Divides a model: its calls in program order, and a variant of each body for each way in which its arguments are
/// divided.
class ModelDivider {
public:
  /// `axes` are those of parameters; the axes of states are added.
  ModelDivider(ein::ModelOp model, AxisOf &axes, int64_t shards)
      : model(model), block(model.getBody().front()), symbols(model->getParentOp()), axes(axes), shards(shards) {}

  // Whole values stay beside their shards until the end, when those that nothing reads are erased.
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
  // The body that replaces another one, for calls that are divided in one way.
  struct Variant {
    ein::FuncOp body;
    DividedBody made;
  };

  // The axis of a parameter or state that is divided; nullopt for others.
  std::optional<int64_t> axisOf(StringAttr path) {
    auto found = axes.find(path);
    return found == axes.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<int64_t> axisOf(ein::StateNameAttr state) { return state ? axisOf(pathOf(state)) : std::nullopt; }
  // The axis along which a value of the model is in shards.
  std::optional<int64_t> axisOf(Value value) const {
    auto found = divided.find(value);
    return found == divided.end() ? std::nullopt : std::optional(found->second.axis);
  }

  static StringAttr pathOf(ein::StateNameAttr state) { return StringAttr::get(state.getContext(), state.getPath()); }

  StringAttr symbolOfShard(StringAttr whole, int64_t axis, int64_t shard) {
    return symbolOf(ein::ShardAttr::get(model.getContext(), whole.getValue(), axis, shard, shards));
  }

  // Appends the name of an argument or result, or the names of its shards. Only states have an axis here.
  void addName(SmallVector<Attribute> &names, Attribute name, std::optional<int64_t> axis) {
    for (int64_t shard = 0; axis && shard < shards; ++shard)
      names.push_back(ein::StateNameAttr::get(
          model.getContext(), symbolOfShard(pathOf(cast<ein::StateNameAttr>(name)), *axis, shard).getValue()));
    if (!axis)
      names.push_back(name);
  }

  // If an argument of a call is a state that only this call reads, and the call returns the new value: the number of
  // that result.
  std::optional<unsigned> newValueOf(ein::CallOp call, unsigned argument) {
    Value old = call.getArgs()[argument];
    const auto *at = llvm::find(arguments, old);
    if (at == arguments.end() || !old.hasOneUse())
      return std::nullopt;
    Attribute name = model.getArgNames()[at - arguments.begin()];
    if (!isa<ein::StateNameAttr>(name))
      return std::nullopt;
    Value made = block.getTerminator()->getOperand(*ein::findName(model.getResultNames(), name));
    return made.getDefiningOp() == call ? std::optional(cast<OpResult>(made).getResultNumber()) : std::nullopt;
  }

  // Adds the states that would be in shards as their new values are.
  Axes withStates(ein::CallOp call, const Variant &variant, Axes ways) {
    for (unsigned argument = 0; argument < call.getArgs().size(); ++argument)
      if (!ways[argument] && !keptWhole.contains(call.getArgs()[argument]))
        if (std::optional<unsigned> result = newValueOf(call, argument))
          ways[argument] = variant.made.results[*result];
    return ways;
  }

  // Adds the shards of a state as arguments of the model.
  void divideState(Value state, int64_t axis) {
    auto whole = cast<BlockArgument>(state);
    Attribute name = model.getArgNames()[llvm::find(arguments, state) - arguments.begin()];
    axes.try_emplace(pathOf(cast<ein::StateNameAttr>(name)), axis);
    Divided &made = divided[whole];
    made.axis = axis;
    for (int64_t shard = 0; shard < shards; ++shard)
      made.shards.push_back(block.insertArgument(whole.getArgNumber() + 1 + shard,
                                                 partType(whole.getType(), axis, shards), whole.getLoc()));
  }

  // Divides a call. A body may need some arguments whole: those are joined and it is tried again. States are divided in
  // a second attempt, because their axes follow from the results of the first.
  LogicalResult divideCall(ein::CallOp call) {
    Axes ways;
    for (Value value : call.getArgs())
      ways.push_back(axisOf(value));
    for (auto param : call.getParams().getAsRange<FlatSymbolRefAttr>())
      ways.push_back(axisOf(param.getAttr()));
    Axes tried = ways;
    // Ends: each attempt joins an argument, adds a state, or succeeds, and a state kept whole is not added again.
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

  // The variant of a body for these axes, made once. Its body is erased again if it needs wholes.
  FailureOr<Variant *> variantOf(ein::CallOp call, const Axes &ways) {
    std::pair key(call.getCalleeAttr().getAttr().getValue().str(), std::vector(ways.begin(), ways.end()));
    auto [known, isNew] = variants.try_emplace(key);
    Variant &variant = known->second;
    if (!isNew)
      return &variant;
    auto whole = symbols.lookup<ein::FuncOp>(call.getCallee());
    variant.body = whole.clone();
    symbols.insert(variant.body, whole->getIterator());
    FailureOr<DividedBody> made = divideBody(variant.body, call, ways, shards);
    if (failed(made))
      return failure();
    variant.made = *made;
    if (!made->wholes.empty())
      symbols.erase(variant.body);
    else
      order.emplace_back(key.first, variant.body);
    return &variant;
  }

  // Calls the variant with shards. The old call stays until the end, since its results may be used whole.
  void replace(ein::CallOp call, const Variant &variant) {
    SmallVector<Value> args;
    SmallVector<Attribute> params;
    for (Value value : call.getArgs())
      if (auto found = divided.find(value); found != divided.end())
        llvm::append_range(args, found->second.shards);
      else
        args.push_back(value);
    for (auto param : call.getParams().getAsRange<FlatSymbolRefAttr>()) {
      std::optional<int64_t> axis = axisOf(param.getAttr());
      for (int64_t shard = 0; axis && shard < shards; ++shard)
        params.push_back(FlatSymbolRefAttr::get(symbolOfShard(param.getAttr(), *axis, shard)));
      if (!axis)
        params.push_back(param);
    }
    OpBuilder builder(call);
    ein::FuncOp body = variant.body;
    auto made = ein::CallOp::create(builder, call.getLoc(), body.getResultTypes(), body.getSymName(), args,
                                    builder.getArrayAttr(params), call.getAccumulates(), call.getPath(),
                                    call.getIterationAttr());
    unsigned next = 0;
    for (auto [result, axis] : llvm::zip(call.getResults(), variant.made.results)) {
      if (!axis) {
        result.replaceAllUsesWith(made.getResult(next++));
        continue;
      }
      divided[result] = {*axis, llvm::to_vector_of<Value>(made.getResults().slice(next, shards))};
      next += shards;
    }
    replaced.push_back(call);
  }

  // Names the model's arguments and their batch axes.
  void nameArguments() {
    SmallVector<Attribute> names;
    SmallVector<int64_t> batch;
    for (auto [name, batchAxis, argument] : llvm::zip(model.getArgNames(), model.getArgBatch(), arguments)) {
      addName(names, name, axisOf(argument));
      batch.append(axisOf(argument) ? shards : 1, batchAxis);
    }
    model.setArgNamesAttr(ArrayAttr::get(model.getContext(), names));
    model.setArgBatch(batch);
  }

  // Joins an operand that is in shards. A value is joined once.
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

  // The model returns whole values, except for states in shards. A state whose new value is whole is sliced.
  void divideResults() {
    Operation *end = block.getTerminator();
    SmallVector<Attribute> names;
    SmallVector<int64_t> batch;
    SmallVector<Value> results;
    for (auto [name, batchAxis, operand] :
         llvm::zip(model.getResultNames(), model.getResultBatch(), end->getOpOperands())) {
      std::optional<int64_t> axis = axisOf(dyn_cast<ein::StateNameAttr>(name));
      addName(names, name, axis);
      batch.append(axis ? shards : 1, batchAxis);
      if (!axis || axisOf(operand.get()) != axis)
        makeWhole(operand);
      if (auto found = divided.find(operand.get()); found != divided.end()) {
        llvm::append_range(results, found->second.shards);
        continue;
      }
      OpBuilder builder(end);
      for (int64_t shard = 0; axis && shard < shards; ++shard)
        results.push_back(sliceOf(builder, operand.get(), *axis, shard, shards));
      if (!axis)
        results.push_back(operand.get());
    }
    end->setOperands(results);
    model.setResultNamesAttr(ArrayAttr::get(model.getContext(), names));
    model.setResultBatch(batch);
  }

  // Erases variants that were only tried. If all calls of a body are divided, its first variant takes its name.
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
  int64_t shards;
  DenseMap<Value, Divided> divided;
  DenseMap<Value, Value> wholes;
  std::map<std::pair<std::string, std::vector<std::optional<int64_t>>>, Variant> variants;
  SmallVector<std::pair<std::string, ein::FuncOp>> order; // variants, and the names of the bodies they come from
  SmallVector<Operation *> replaced;                      // calls
  SmallVector<Value> arguments;                           // of the model before it was divided
  DenseSet<Value> keptWhole;                              // states that a body needs whole
};

struct EinShard : algebra::impl::EinShardBase<EinShard> {
  using EinShardBase::EinShardBase;

  void runOnOperation() override {
    ein::ModelOp model = modelOf(getOperation());
    if (!model || failed(readSizes(model)) || failed(findAxes(model)))
      return signalPassFailure();
    if (!axes.empty() && failed(ModelDivider(model, axes, shards).run()))
      return signalPassFailure();
    for (auto param : llvm::make_early_inc_range(getOperation().getOps<ein::ParamOp>())) {
      param.removeSizesAttr();
      divide(param, [&](ein::ParamOp shard, int64_t axis) { shard.setType(partType(param.getType(), axis, shards)); });
    }
    for (auto state : llvm::make_early_inc_range(getOperation().getOps<ein::StateOp>()))
      divide(state, [](ein::StateOp, int64_t) {});
  }

private:
  // Parses "F=2". All divided sizes need the same number of shards, since ranks hold one shard of each.
  LogicalResult readSizes(ein::ModelOp model) {
    for (const std::string &text : sizes) {
      auto [name, count] = StringRef(text).split('=');
      int64_t number = 0;
      if (name.empty() || count.getAsInteger(10, number) || number < 2)
        return emitKeyError(model, shardKey, "found '") << text << "', expected a size and its parts, as in 'F=2'";
      if (shards && shards != number)
        return emitKeyError(model, shardKey, "size '")
               << name << "' is divided in " << number << " parts and another one in " << shards
               << "; all that are divided need as many";
      shards = number;
      names.insert(name);
    }
    return success();
  }

  // The axis of each divided parameter: the first one whose size is divided.
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
        if (extent % shards)
          return emitKeyError(param, shardKey, "size '")
                 << size << "' is " << extent << " but is divided in " << shards << " parts";
        axes.try_emplace(param.getSymNameAttr(), axis);
      }
    }
    for (StringRef name : names)
      if (!used.contains(name))
        return emitKeyError(model, shardKey, "no parameter has an axis of size '")
               << name << "'; they have " << (known.empty() ? "no named sizes" : llvm::join(known, ", "));
    return success();
  }

  // Replaces a parameter or a state by its shards, each of which `finish` completes.
  template <class Op, class Finish>
  void divide(Op op, Finish finish) {
    auto axis = axes.find(op.getSymNameAttr());
    if (axis == axes.end())
      return;
    OpBuilder builder(op);
    for (int64_t shard = 0; shard < shards; ++shard) {
      auto made = cast<Op>(builder.clone(*op));
      made.setShardAttr(ein::ShardAttr::get(&getContext(), op.getSymName(), axis->second, shard, shards));
      made.setSymNameAttr(symbolOf(made.getShardAttr()));
      finish(made, axis->second);
    }
    op.erase();
  }

  int64_t shards = 0;
  llvm::SetVector<StringRef> names;
  AxisOf axes;
};

} // namespace
