//===- EinDifferentiate.cpp - the gradient of the loss, body by body -------===//
#include "Adjoint.h"
#include "Bodies.h"
#include "SplitBody.h"
#include "plc/Algebra/Passes.h"

#include "llvm/ADT/StringMap.h"

#include <numeric>

namespace plc::algebra {
#define GEN_PASS_DEF_EINDIFFERENTIATE
#include "lib/Algebra/Passes.h.inc"
} // namespace plc::algebra

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

namespace {

// Reverse mode over the calls of a model.
class ModelAdjoint {
public:
  explicit ModelAdjoint(ein::ModelOp model)
      : model(model), block(model.getBody().front()), symbols(model->getParentOp()) {
    for (ein::CallOp call : block.getOps<ein::CallOp>())
      calls.push_back(call);
  }

  LogicalResult run() {
    if (failed(findLoss()))
      return failure();
    findActive();
    for (ein::CallOp call : llvm::reverse(calls))
      if (failed(plan(call)))
        return failure();
    if (llvm::none_of(calls, [&](ein::CallOp call) { return bool(partsOf[call]->weights); }))
      return model.emitError("output 'loss' of model '") << model.getSymName() << "' depends on no trained parameter";
    for (ein::CallOp call : calls)
      callForward(call);
    for (ein::CallOp call : llvm::reverse(calls))
      callBackward(call);
    for (ein::CallOp call : llvm::reverse(calls))
      call.erase();
    return success();
  }

private:
  LogicalResult findLoss() {
    for (Operation &op : block.without_terminator())
      if (!isa<ein::CallOp>(op))
        return op.emitError("model '") << model.getSymName()
                                       << "' has equations outside bodies; run --ein-simplify first";
    for (ein::CallOp call : calls)
      if (StringRef role = calleeOf(call).getRole(); !role.empty())
        return call.emitError("model '") << model.getSymName() << "' is differentiated already: body '"
                                         << call.getCallee() << "' has role '" << role << "'";
    for (auto [name, value] : llvm::zip(model.getResultNames().getAsValueRange<StringAttr>(),
                                        block.getTerminator()->getOperands()))
      if (name == "loss")
        loss = value;
    if (!loss)
      return model.emitError("model '") << model.getSymName() << "' has no scalar output 'loss' to train";
    if (!shapeOf(loss).empty() || elementOf(loss).isInteger())
      return model.emitError("output 'loss' of model '")
             << model.getSymName() << "' is " << loss.getType() << " but a real scalar is needed";
    if (!loss.getDefiningOp())
      return model.emitError("output 'loss' of model '") << model.getSymName() << "' depends on no trained parameter";
    return success();
  }

  bool isTrained(Attribute param) {
    return !symbols.lookup<ein::ParamOp>(cast<FlatSymbolRefAttr>(param).getValue()).getFrozen();
  }
  ein::FuncOp calleeOf(ein::CallOp call) { return symbols.lookup<ein::FuncOp>(call.getCallee()); }

  // Values of the model that depend on trained parameters.
  void findActive() {
    for (ein::CallOp call : calls) {
      ein::FuncOp callee = calleeOf(call);
      Block &body = callee.getBody().front();
      llvm::DenseSet<Value> sources;
      for (auto [operand, argument] : llvm::zip(call.getArgs(), body.getArguments()))
        if (active.contains(operand))
          sources.insert(argument);
      for (auto [param, argument] : llvm::zip(call.getParams(), body.getArguments().drop_front(callee.getNumData())))
        if (isTrained(param))
          sources.insert(argument);
      llvm::DenseSet<Value> values = activeValues(body, sources);
      for (auto [result, returned] : llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
        if (values.contains(returned))
          active.insert(result);
    }
  }

  Wanted wantedOf(ein::CallOp call) {
    Wanted wanted;
    bool any = false;
    for (Value result : call.getResults()) {
      Seed seed = result == loss ? Seed::One : contributors.contains(result) ? Seed::Given : Seed::None;
      if (!active.contains(result))
        seed = Seed::None;
      wanted.results.push_back(seed);
      any |= seed != Seed::None;
    }
    for (Value operand : call.getArgs())
      wanted.arguments.push_back(any && active.contains(operand));
    for (Attribute param : call.getParams())
      wanted.params.push_back(any && isTrained(param));
    return wanted;
  }

  // Makes the parts that a call needs, or finds those of an equal call; calls come in reverse order.
  LogicalResult plan(ein::CallOp call) {
    Wanted wanted = wantedOf(call);
    auto [it, isNew] = made.try_emplace((call.getCallee() + "|" + wanted.key()).str());
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
                               pick(accumulated), call.getPathAttr(), call.getTurnAttr());
  }

  void callForward(ein::CallOp call) {
    OpBuilder builder(call);
    SmallVector<unsigned> params(call.getParams().size());
    std::iota(params.begin(), params.end(), 0);
    ein::CallOp forward = create(builder, call, partsOf[call]->forward, call.getArgs(), params, {});
    for (auto [old, result] : llvm::zip(call.getResults(), forward.getResults()))
      old.replaceAllUsesWith(result);
    forwardOf[call] = forward;
  }

  // Where a source of a call that is being differentiated is.
  Value find(ein::CallOp call, Source source, ValueRange resultGradients, ein::CallOp backward) {
    switch (source.kind) {
    case Source::Argument:
      return call.getArgs()[source.index];
    case Source::ResultGradient:
      return resultGradients[source.index];
    case Source::Forward:
      return forwardOf[call].getResult(source.index);
    case Source::Backward:
      return backward.getResult(source.index);
    }
    llvm_unreachable("unknown source");
  }

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
    for (auto [argument, source] : llvm::reverse(parts.gradients))
      gradients[call.getArgs()[argument]].push_back(find(call, source, resultGradients, backward));
    if (parts.weights)
      create(builder, call, parts.weights, operands(parts.weightOperands), parts.weightParams, parts.accumulated);
  }

  // The sum of the contributions to a result's gradient, by consumers in program order; null if there is none.
  Value gradientOf(OpBuilder &builder, ein::CallOp call, Value result) {
    auto it = gradients.find(result);
    if (it == gradients.end())
      return {};
    return sumTree(builder, call, llvm::to_vector(llvm::reverse(it->second)));
  }

  // A call per sum of two, so that each subtree can be made where its leaves are.
  Value sumTree(OpBuilder &builder, ein::CallOp call, ArrayRef<Value> values) {
    if (values.size() == 1)
      return values.front();
    size_t half = (values.size() + 1) / 2;
    Value left = sumTree(builder, call, values.take_front(half)), right = sumTree(builder, call, values.drop_front(half));
    ein::FuncOp sum = sumOf(left.getType());
    auto added = ein::CallOp::create(builder, call.getLoc(), left.getType(), sum.getSymName(), {left, right},
                                     builder.getArrayAttr({}), builder.getArrayAttr({}), call.getPathAttr(),
                                     call.getTurnAttr());
    return added.getResult(0);
  }

  // A body that adds two values of a type.
  ein::FuncOp sumOf(Type type) {
    auto [it, isNew] = sums.try_emplace(type);
    if (!isNew)
      return it->second;
    OpBuilder builder(model);
    auto sum = ein::FuncOp::create(builder, model.getLoc(), (model.getSymName() + ".sum").str(),
                                   builder.getFunctionType({type, type}, type));
    sum.setRole("sum");
    Block *body = builder.createBlock(&sum.getBody(), {}, {type, type}, {model.getLoc(), model.getLoc()});
    SmallVector<Value> arguments(body->getArguments());
    ein::ReturnOp::create(builder, model.getLoc(), algebra::sumTree(builder, model.getLoc(), arguments));
    symbols.insert(sum, sum->getIterator());
    it->second = sum;
    return sum;
  }

  ein::ModelOp model;
  Block &block;
  SymbolTable symbols;
  SmallVector<ein::CallOp> calls;
  Value loss;
  llvm::DenseSet<Value> active, contributors;
  llvm::StringMap<std::unique_ptr<Parts>> made;
  llvm::StringMap<unsigned> variants;
  DenseMap<Operation *, const Parts *> partsOf;
  DenseMap<Operation *, ein::CallOp> forwardOf;
  DenseMap<Value, SmallVector<Value>> gradients; // of values of the model, in reverse order of consumers
  DenseMap<Type, ein::FuncOp> sums;
};

struct EinDifferentiate : algebra::impl::EinDifferentiateBase<EinDifferentiate> {
  using EinDifferentiateBase::EinDifferentiateBase;

  void runOnOperation() override {
    if (forwardOnly)
      return eraseStops(getOperation());
    ein::ModelOp model = modelOf(getOperation());
    if (!model || failed(ModelAdjoint(model).run()))
      return signalPassFailure();
    eraseUncalled(getOperation());
  }
};

} // namespace
