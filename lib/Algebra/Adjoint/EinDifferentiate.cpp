//===- EinDifferentiate.cpp - the gradient of the loss, body by body ------===//
#include "Adjoint.h"
#include "Base/Bodies.h"
#include "SplitBody.h"
#include "plc/Algebra/Passes.h"
#include "plc/Dialect/Ein/Names.h"
#include "plc/Support/Errors.h"
#include "plc/Support/ResultName.h"
#include "plc/Support/SummedBatch.h"

#include "llvm/ADT/StringSet.h"

#include <map>
#include <numeric>

namespace plc::algebra {
#define GEN_PASS_DEF_EINDIFFERENTIATE
#include "lib/Algebra/Passes.h.inc"
} // namespace plc::algebra

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

namespace {

// Reverse mode over the calls of a model. Each body is split into F, B and W (`SplitBody.h`), once for all calls that
// want the same gradients. The model then calls every F in program order, and B and W of each call in reverse.
class ModelAdjoint {
public:
  /// The gradients of the named arguments and parameters; without names, of all trained parameters.
  ModelAdjoint(ein::ModelOp model, ArrayRef<std::string> names, bool scalesLoss)
      : model(model), block(model.getBody().front()), symbols(model->getParentOp()), names(names),
        scalesLoss(scalesLoss) {
    for (ein::CallOp call : block.getOps<ein::CallOp>())
      calls.push_back(call);
  }

  // Three steps: find the values that depend on the sources; split bodies, readers first, since readers decide which
  // gradients a call gets; emit the calls.
  LogicalResult run() {
    if (failed(findLoss()) || failed(findSources()))
      return failure();
    findReplaced();
    findActive();
    for (ein::CallOp call : llvm::reverse(calls))
      if (failed(plan(call)))
        return failure();
    if (names.empty() && failed(checkReached()))
      return failure();
    for (ein::CallOp call : calls)
      callForward(call);
    if (scalesLoss)
      scaleLoss();
    for (ein::CallOp call : llvm::reverse(calls))
      callBackward(call);
    accumulateZeros();
    returnGradients();
    for (ein::CallOp call : llvm::reverse(calls))
      call.erase();
    return success();
  }

private:
  // Finds `loss` and checks that the model is in the form that this pass needs.
  LogicalResult findLoss() {
    for (Operation &op : block.without_terminator())
      if (!isa<ein::CallOp>(op))
        return op.emitError("model '") << model.getSymName()
                                       << "' has equations outside bodies: run '--ein-simplify' first";
    for (ein::CallOp call : calls)
      if (std::optional<ein::BodyRole> role = calleeOf(call).getRole())
        return call.emitError("model '") << model.getSymName() << "' is differentiated already: body '"
                                         << call.getCallee() << "' has role '" << stringifyBodyRole(*role) << "'";
    int64_t rank = 0; // 1 where the result is the sum over a batch axis in front
    if (auto at = ein::findName(model.getResultNames(), StringAttr::get(model.getContext(), lossName))) {
      loss = block.getTerminator()->getOperand(*at);
      rank = model.getResultBatch()[*at] == summedBatch;
    }
    if (!loss)
      return model.emitError("model '") << model.getSymName() << "' has no scalar output 'loss' to train";
    if (int64_t(shapeOf(loss).size()) != rank || !ein::isTensorOf(ein::Domain::Real, loss.getType()))
      return model.emitError("output 'loss' of model '")
             << model.getSymName() << "' is " << loss.getType() << " but a real scalar is needed";
    return success();
  }

  // Finds the arguments and parameters that `names` asks for.
  LogicalResult findSources() {
    for (const std::string &name : names) {
      auto plain = StringAttr::get(model.getContext(), name);
      std::optional<unsigned> argument = ein::findName(model.getArgNames(), plain);
      if (ein::findName(model.getArgNames(), ein::WholeNameAttr::get(model.getContext(), plain)))
        return emitOptionError(model, "the gradient for input '")
               << name << "' needs one micro-batch: the loss is divided by a sum of it over the whole batch";
      SmallVector<ein::ParamOp> pieces = piecesOf(name);
      auto param = pieces.empty() ? ein::ParamOp() : pieces.front();
      if (param && !ein::isTensorOf(ein::Domain::Real, param.getType()))
        return emitOptionError(model, "parameter '")
               << name << "' is " << param.getType() << ", whose elements "
               << (ein::isNarrow(param.getType()) ? "only hold numbers" : "are no reals") << ": it has no gradient";
      if (argument)
        arguments.push_back({name, block.getArgument(*argument)});
      else if (param)
        for (ein::ParamOp piece : pieces)
          wantedParams.insert(piece.getSymName());
      else
        return emitOptionError(model, "model '")
               << model.getSymName() << "' has no input or parameter '" << name << "' to differentiate for";
    }
    for (auto &[name, argument] : arguments)
      active.insert(argument);
    return success();
  }

  // The parameter of a name, or its shards if a pass divided it.
  SmallVector<ein::ParamOp> piecesOf(StringRef name) {
    SmallVector<ein::ParamOp> pieces;
    for (auto param : model->getParentOfType<ModuleOp>().getOps<ein::ParamOp>())
      if (param.getWhole() == name)
        pieces.push_back(param);
    return pieces;
  }

  // The parameters that get a gradient.
  llvm::StringSet<> reachedParams() {
    llvm::StringSet<> reached;
    for (ein::CallOp call : calls)
      for (unsigned index : partsOf[call]->accumulated)
        reached.insert(cast<FlatSymbolRefAttr>(call.getParams()[index]).getValue());
    return reached;
  }

  // Training needs a trained parameter, and the next value of each one that it replaces.
  LogicalResult checkReached() {
    llvm::StringSet<> reached = reachedParams();
    if (llvm::all_of(reached,
                     [&](const auto &name) { return symbols.lookup<ein::ParamOp>(name.getKey()).getFrozen(); }))
      return model.emitError("output 'loss' of model '") << model.getSymName() << "' depends on no trained parameter";
    for (auto param : model->getParentOfType<ModuleOp>().getOps<ein::ParamOp>())
      if (param.getReplaced() && !reached.contains(param.getSymName()))
        return param.emitError("no step computes the next value of parameter '")
               << param.getSymName() << "': the loss depends on no result of its layer";
    return success();
  }

  // Finds the parameters of bodies that a step replaces. Their other uses have no gradient.
  void findReplaced() {
    for (ein::CallOp call : calls)
      for (auto next : calleeOf(call).getBody().getOps<ein::NextOp>()) {
        Value param = next.getParam();
        if (!replaced.insert(param).second)
          continue;
        OpBuilder builder = OpBuilder::atBlockBegin(next->getBlock());
        auto stop = ein::StopOp::create(builder, param.getLoc(), param.getType(), param);
        param.replaceUsesWithIf(stop, [&](OpOperand &use) {
          return use.getOwner() != stop && !(isa<ein::NextOp>(use.getOwner()) && use.getOperandNumber() == 1);
        });
      }
  }

  bool isReplaced(ein::CallOp call, unsigned param) {
    ein::FuncOp callee = calleeOf(call);
    return replaced.contains(callee.getBody().getArgument(callee.getNumData() + param));
  }
  // Without names all parameters are wanted that a step changes; with names, the named ones, trained or not.
  bool isWanted(ein::CallOp call, unsigned param) {
    StringRef name = cast<FlatSymbolRefAttr>(call.getParams()[param]).getValue();
    if (!names.empty())
      return wantedParams.contains(name);
    return !symbols.lookup<ein::ParamOp>(name).getFrozen() || isReplaced(call, param);
  }
  ein::FuncOp calleeOf(ein::CallOp call) { return symbols.lookup<ein::FuncOp>(call.getCallee()); }

  // The values of the model that depend on what is differentiated for.
  void findActive() {
    for (ein::CallOp call : calls) {
      ein::FuncOp callee = calleeOf(call);
      Block &body = callee.getBody().front();
      llvm::DenseSet<Value> sources;
      for (auto [operand, argument] : llvm::zip(call.getArgs(), body.getArguments()))
        if (active.contains(operand))
          sources.insert(argument);
      for (auto [param, argument] : llvm::enumerate(body.getArguments().drop_front(callee.getNumData())))
        if (isWanted(call, param))
          sources.insert(argument);
      llvm::DenseSet<Value> values = activeValues(body, sources);
      for (auto [result, returned] : llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
        if (values.contains(returned))
          active.insert(result);
    }
  }

  // The gradients that a call must compute. Its results have gradients if readers contribute to them; the loss has 1,
  // or an input if `scalesLoss`.
  Wanted wantedOf(ein::CallOp call) {
    Wanted wanted;
    bool any = false;
    for (Value result : call.getResults()) {
      Seed seed = result == loss && !scalesLoss                     ? Seed::One
                  : result == loss || contributors.contains(result) ? Seed::Given
                                                                    : Seed::None;
      if (!active.contains(result))
        seed = Seed::None;
      wanted.results.push_back(seed);
      any |= seed != Seed::None;
    }
    for (Value operand : call.getArgs())
      wanted.arguments.push_back(any && active.contains(operand));
    for (unsigned param = 0; param < call.getParams().size(); ++param)
      wanted.params.push_back(any && isWanted(call, param));
    return wanted;
  }

  // Splits the body of a call, or finds the split of an equal earlier call. Calls come in reverse order, so all readers
  // are known.
  LogicalResult plan(ein::CallOp call) {
    Wanted wanted = wantedOf(call);
    auto [it, isNew] = madeParts.try_emplace((call.getCallee() + "|" + wanted.key()).str());
    if (isNew) {
      unsigned variant = variants[call.getCallee()]++;
      std::string name = call.getCallee().str() + (variant ? "." + std::to_string(variant) : "");
      FailureOr<Parts> parts = splitBody(calleeOf(call), wanted, name);
      if (failed(parts))
        return failure();
      it->second = std::make_unique<Parts>(*parts);
      for (ein::FuncOp part : {parts->forward, parts->backward, parts->weights})
        if (part)
          symbols.insert(part, part->getIterator());
    }
    partsOf[call] = it->second.get();
    for (auto [argument, source] : it->second->gradients)
      contributors.insert(call.getArgs()[argument]);
    return success();
  }

  // Makes the gradient of the loss an input. A constant scale would be another program after each overflow.
  void scaleLoss() {
    auto maker = loss.getDefiningOp<ein::CallOp>();
    auto type = cast<RankedTensorType>(loss.getType());
    auto scalar = RankedTensorType::get({}, type.getElementType());
    auto scaleName = ein::GivenNameAttr::get(model.getContext(), ein::EngineValue::loss_scale);
    Value scale = runInput(model, scalar, scaleName, /*batchAxis=*/-1);
    OpBuilder builder(block.getTerminator());
    ein::FuncOp body =
        made("scale", ein::BodyRole::B, scalar, type, [&](OpBuilder &builder, ArrayRef<Value> arguments) {
          AffineMap ofPoint = builder.getMultiDimIdentityMap(type.getRank());
          AffineMap none = AffineMap::get(type.getRank(), 0, {}, builder.getContext());
          return ein::MapOp::create(builder, loss.getLoc(), type, ein::Function::id, arguments.front(), type.getShape(),
                                    builder.getAffineMapArrayAttr({none, ofPoint}))
              .getResult();
        });
    Value made = forwardOf[maker].getResult(cast<OpResult>(loss).getResultNumber());
    gradients[made].push_back(callOn(builder, maker, body, scale));
  }

  ein::CallOp create(OpBuilder &builder, ein::CallOp call, ein::FuncOp callee, ValueRange operands,
                     ArrayRef<unsigned> params, ArrayRef<unsigned> accumulated) {
    auto pick = [&](ArrayRef<unsigned> indices) {
      SmallVector<Attribute> symbols;
      for (unsigned index : indices)
        symbols.push_back(call.getParams()[index]);
      return builder.getArrayAttr(symbols);
    };
    TypeRange results = TypeRange(callee.getFunctionType().getResults()).take_front(callee.getNumDataResults());
    return ein::CallOp::create(builder, call.getLoc(), results, callee.getSymName(), operands, pick(params),
                               pick(accumulated), call.getPathAttr(), call.getIterationAttr());
  }

  // Calls the forward part instead of the body. Its first results are the body's.
  void callForward(ein::CallOp call) {
    OpBuilder builder(call);
    SmallVector<unsigned> params(call.getParams().size());
    std::iota(params.begin(), params.end(), 0);
    ein::CallOp forward = create(builder, call, partsOf[call]->forward, call.getArgs(), params, {});
    for (auto [old, result] : llvm::zip(call.getResults(), forward.getResults()))
      old.replaceAllUsesWith(result);
    forwardOf[call] = forward;
  }

  // The value of the model that a `Source` of a call names.
  Value find(ein::CallOp call, Source source, ValueRange resultGradients, ein::CallOp backward) {
    switch (source.kind) {
    case Source::Argument: return call.getArgs()[source.index];
    case Source::ResultGradient: return resultGradients[source.index];
    case Source::Forward: return forwardOf[call].getResult(source.index);
    case Source::Backward: return backward.getResult(source.index);
    }
    llvm_unreachable("unknown source");
  }

  // Calls B and W of a call behind everything so far, with the gradients of the results as operands.
  void callBackward(ein::CallOp call) {
    const Parts &parts = *partsOf[call];
    if (parts.gradients.empty() && !parts.weights)
      return;
    OpBuilder builder(block.getTerminator());
    SmallVector<Value> resultGradients;
    for (unsigned i = 0; i < call.getNumResults(); ++i)
      resultGradients.push_back(gradientOf(builder, call, forwardOf[call].getResult(i)));
    ein::CallOp backward;
    auto operands = [&](ArrayRef<Source> sources) {
      return llvm::map_to_vector(sources, [&](Source s) { return find(call, s, resultGradients, backward); });
    };
    if (parts.backward)
      backward = create(builder, call, parts.backward, operands(parts.backwardOperands), parts.backwardParams, {});
    // Lists hold the last consumer first. That includes operands that a call reads twice.
    for (auto [argument, source] : llvm::reverse(parts.gradients))
      gradients[call.getArgs()[argument]].push_back(find(call, source, resultGradients, backward));
    if (parts.weights)
      create(builder, call, parts.weights, operands(parts.weightOperands), parts.weightParams, parts.accumulated);
  }

  // Users see a sliced parameter whole. So its slices that the loss does not depend on get a gradient of zeros.
  void accumulateZeros() {
    llvm::StringSet<> reached = reachedParams(), wholes;
    for (const auto &name : reached)
      if (auto param = symbols.lookup<ein::ParamOp>(name.getKey()); param.getSlice())
        wholes.insert(param.getWhole());
    OpBuilder builder(block.getTerminator());
    for (ein::CallOp call : calls)
      for (auto [index, name] : llvm::enumerate(call.getParams().getAsRange<FlatSymbolRefAttr>()))
        if (auto param = symbols.lookup<ein::ParamOp>(name.getValue());
            param.getSlice() && wholes.contains(param.getWhole()) && reached.insert(name.getValue()).second)
          create(builder, call, noGradientOf(param.getType()), {}, unsigned(index), unsigned(index));
  }

  // Returns the gradients of arguments as results of the model. Each is a value of its own, made by a B. So are zeros,
  // also for a parameter that the loss does not depend on.
  void returnGradients() {
    OpBuilder builder(block.getTerminator());
    SmallVector<Attribute> resultNames(model.getResultNames().begin(), model.getResultNames().end());
    SmallVector<int64_t> axes(model.getResultBatch());
    auto add = [&](StringRef name, Value gradient, int64_t axis) {
      block.getTerminator()->insertOperands(axes.size(), gradient);
      resultNames.push_back(ein::GradientNameAttr::get(model.getContext(), name));
      axes.push_back(axis);
    };
    for (auto &[name, argument] : arguments)
      add(name, gradientOfArgument(builder, argument), model.getArgBatch()[argument.getArgNumber()]);
    llvm::StringSet<> reached = reachedParams();
    for (const std::string &name : names) {
      SmallVector<ein::ParamOp> pieces = piecesOf(name);
      if (!pieces.empty() &&
          llvm::none_of(pieces, [&](ein::ParamOp each) { return reached.contains(each.getSymName()); }))
        add(name, callOn(builder, calls.front(), zeroOf(wholeType(pieces.front())), {}), -1);
    }
    model.setResultNamesAttr(builder.getArrayAttr(resultNames));
    model.setResultBatch(axes);
    model.setFunctionType(builder.getFunctionType(block.getArgumentTypes(), block.getTerminator()->getOperandTypes()));
  }

  // The type of a parameter, or of the parameter of which it is a shard.
  static Type wholeType(ein::ParamOp param) {
    return RankedTensorType::get(param.getWholeShape(), getElementTypeOrSelf(param.getType()));
  }

  // The gradient of an argument, copied where its value is another result, or is made by no B.
  Value gradientOfArgument(OpBuilder &builder, BlockArgument argument) {
    auto reader = llvm::find_if(calls, [&](ein::CallOp call) { return llvm::is_contained(call.getArgs(), argument); });
    if (!gradients.contains(argument)) // the loss does not depend on it
      return callOn(builder, calls.front(), zeroOf(ein::wideTypeOf(argument.getType())), {});
    Value gradient = gradientOf(builder, *reader, argument);
    auto maker = gradient.getDefiningOp<ein::CallOp>();
    if (!maker || calleeOf(maker).getRole() == ein::BodyRole::F ||
        llvm::is_contained(block.getTerminator()->getOperands(), gradient))
      return callOn(builder, *reader, copierOf(gradient.getType()), gradient);
    return gradient;
  }

  // The sum of the contributions to a result's gradient, by consumers in program order. Null if there is none.
  Value gradientOf(OpBuilder &builder, ein::CallOp call, Value result) {
    auto it = gradients.find(result);
    if (it == gradients.end())
      return {};
    return sumTree(builder, call, llvm::to_vector(llvm::reverse(it->second)));
  }

  // One call for each sum of two, so that the plan can compute each subtree where its leaves are.
  Value sumTree(OpBuilder &builder, ein::CallOp call, ArrayRef<Value> values) {
    if (values.size() == 1)
      return values.front();
    size_t half = (values.size() + 1) / 2;
    Value left = sumTree(builder, call, values.take_front(half)),
          right = sumTree(builder, call, values.drop_front(half));
    return callOn(builder, call, sumOf(left.getType()), {left, right});
  }

  // Calls a body that has one result and no parameters. It gets the path of `call`, and so belongs to that layer.
  Value callOn(OpBuilder &builder, ein::CallOp call, ein::FuncOp body, ValueRange operands) {
    return ein::CallOp::create(builder, call.getLoc(), body.getFunctionType().getResults(), body.getSymName(), operands,
                               builder.getArrayAttr({}), builder.getArrayAttr({}), call.getPathAttr(),
                               call.getIterationAttr())
        .getResult(0);
  }

  // A body that adds two values of a type.
  ein::FuncOp sumOf(Type type) {
    return made("sum", ein::BodyRole::sum, {type, type}, type, [](OpBuilder &builder, ArrayRef<Value> arguments) {
      return algebra::sumTree(builder, arguments.front().getLoc(), arguments);
    });
  }

  // A body that copies a value of a type.
  ein::FuncOp copierOf(Type type) {
    return made("copy", ein::BodyRole::B, type, type,
                [](OpBuilder &builder, ArrayRef<Value> arguments) { return copyOf(builder, arguments.front()); });
  }

  // A body that returns zeros of a type.
  ein::FuncOp zeroOf(Type type) {
    return made("zero", ein::BodyRole::B, {}, type,
                [&](OpBuilder &builder, ArrayRef<Value>) { return zerosOf(builder, model.getLoc(), type); });
  }

  // A body that accumulates zeros. It reads the parameter, and takes nothing of it, so that plans have a stage for it.
  ein::FuncOp noGradientOf(Type type) {
    auto compute = [](OpBuilder &builder, ArrayRef<Value> arguments) {
      Value param = arguments.front(), into = arguments.back();
      Dims dims = axesOf(into.getType());
      EquationBuilder build(builder, into.getLoc(), dimensionsOf(into));
      Access never = build.constant(0, builder.getI1Type()), zero = build.constant(0, elementOf(into));
      Access zeros{build.map(ein::Function::select, {never, {param, dims}, zero}, dims), dims};
      return build.reduce(ein::Reduction::sum, zeros, dims, into);
    };
    ein::FuncOp body = made("zeros", ein::BodyRole::W, {type, type}, type, compute);
    body.setNumParams(1);
    body.setNumAccumulators(1);
    return body;
  }

  // A body of one result, made once for each name and type.
  ein::FuncOp made(StringRef name, ein::BodyRole role, ArrayRef<Type> arguments, Type result,
                   llvm::function_ref<Value(OpBuilder &, ArrayRef<Value>)> compute) {
    ein::FuncOp &body = bodies[{name.str(), result.getAsOpaquePointer()}];
    if (body)
      return body;
    Location loc = model.getLoc();
    OpBuilder builder(model);
    body = ein::FuncOp::create(builder, loc, (model.getSymName() + "." + name).str(),
                               builder.getFunctionType(arguments, result));
    body.setRole(role);
    Block *entry = builder.createBlock(&body.getBody(), {}, arguments, SmallVector<Location>(arguments.size(), loc));
    ein::ReturnOp::create(builder, loc, compute(builder, llvm::to_vector_of<Value>(entry->getArguments())));
    symbols.insert(body, body->getIterator());
    return body;
  }

  ein::ModelOp model;
  Block &block;
  SymbolTable symbols;
  ArrayRef<std::string> names;
  bool scalesLoss;
  // Inputs and parameters whose gradients `names` asks for.
  SmallVector<std::pair<std::string, BlockArgument>> arguments;
  llvm::StringSet<> wantedParams;
  SmallVector<ein::CallOp> calls;
  Value loss;
  llvm::DenseSet<Value> active, contributors;
  llvm::DenseSet<Value> replaced; // arguments of bodies: parameters with a next value
  llvm::StringMap<std::unique_ptr<Parts>> madeParts;
  llvm::StringMap<unsigned> variants;
  DenseMap<Operation *, const Parts *> partsOf;
  DenseMap<Operation *, ein::CallOp> forwardOf;
  DenseMap<Value, SmallVector<Value>> gradients; // contributions to values of the model, last consumer first
  std::map<std::pair<std::string, const void *>, ein::FuncOp> bodies;
};

struct EinDifferentiate : algebra::impl::EinDifferentiateBase<EinDifferentiate> {
  using EinDifferentiateBase::EinDifferentiateBase;

  void runOnOperation() override {
    if (forwardOnly)
      return eraseAll<ein::StopOp, ein::NextOp>(getOperation());
    if (!wrt.empty()) // no step follows
      eraseAll<ein::NextOp>(getOperation());
    ein::ModelOp model = modelOf(getOperation());
    if (!model || failed(ModelAdjoint(model, llvm::to_vector(wrt), scalesLoss).run()))
      return signalPassFailure();
    eraseUncalled(getOperation());
  }
};

} // namespace
