//===- EinRecomputeIterations.cpp - recomputes the iterations of segments ------===//
//
// A backward loop of segments reads, as slices, values that the iterations of the forward loop saved. Here a segment of
// it first runs the forward loop's segment again. That makes these values from what the segment began with (Chen et
// al., Training Deep Nets with Sublinear Memory Cost, 2016).
//
//===----------------------------------------------------------------------===//
#include "Base/Bodies.h"
#include "LoopRewrites.h"
#include "plc/Algebra/Passes.h"
#include "plc/Analysis/IterationSpace.h"
#include "plc/Dialect/Ein/Loops.h"
#include "plc/Dialect/Ein/Views.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

namespace plc::algebra {
#define GEN_PASS_DEF_EINRECOMPUTEITERATIONS
#include "lib/Algebra/Passes.h.inc"
} // namespace plc::algebra

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

namespace {

// Makes the type of a body follow its block.
void updateType(ein::FuncOp body) {
  Block &block = body.getBody().front();
  body.setFunctionType(
      FunctionType::get(body.getContext(), block.getArgumentTypes(), block.getTerminator()->getOperandTypes()));
}

/// The calls of a model: those of each body, in program order.
class Calls {
public:
  explicit Calls(ein::ModelOp model) : symbols(model->getParentOp()) {
    for (auto call : model.getBody().getOps<ein::CallOp>())
      of[calleeOf(call)].push_back(call);
  }

  ein::FuncOp calleeOf(ein::CallOp call) { return symbols.lookup<ein::FuncOp>(call.getCallee()); }
  // The calls of a body. `addResult` replaces calls, so the list changes.
  ArrayRef<ein::CallOp> callsOf(ein::FuncOp body) { return of[body]; }

  /// Adds a result to a body and to its calls, unless it returns the value already. Returns the number of the result.
  unsigned addResult(ein::FuncOp body, Value value) {
    Operation *end = body.getBody().front().getTerminator();
    for (auto [index, returned] : llvm::enumerate(end->getOperands()))
      if (returned == value)
        return index;
    unsigned number = body.getNumDataResults();
    end->insertOperands(number, value);
    updateType(body);
    for (ein::CallOp &call : of[body]) {
      SmallVector<Type> types(call.getResultTypes());
      types.push_back(value.getType());
      OpBuilder builder(call);
      auto made = ein::CallOp::create(builder, call.getLoc(), types, call.getCallee(), call.getArgs(), call.getParams(),
                                      call.getAccumulates(), call.getPathAttr(), call.getIterationAttr());
      for (auto [before, after] : llvm::zip(call.getResults(), made.getResults()))
        before.replaceAllUsesWith(after);
      call.erase();
      call = made;
    }
    return number;
  }

private:
  SymbolTable symbols;
  llvm::MapVector<ein::FuncOp, SmallVector<ein::CallOp>> of;
};

/// A backward loop, and the forward loop whose iterations it recomputes.
class Recomputation {
public:
  Recomputation(Calls &calls, ein::FuncOp body, ein::LoopOp backward) : calls(calls), body(body), backward(backward) {}

  /// Replaces the slices that the loop reads of the forward loop's iterations. False if there are none.
  bool run() {
    // 1. The forward loop. Of several loops that the body reads, the last one is its own; the others made what that one
    // read.
    for (Value slice : backward.getSlices())
      if (std::optional<Source> source = sourceOf(slice);
          source && (!forward || forward->isBeforeInBlock(source->loop))) {
        forward = source->loop;
        maker = source->maker;
        carrier = source->argument;
      }
    // 2. The slices that it makes by equations, and not only passes on.
    for (auto [slice, part] : llvm::zip(backward.getSlices(), backward.getParts()))
      if (std::optional<Source> source = sourceOf(slice);
          source && source->loop == forward && source->element.getDefiningOp())
        found[part] = source->element;
    if (found.empty())
      return false;
    // 3. Arguments of the forward segment that these equations read, as values of the backward segment.
    IRMapping mapping;
    SmallVector<Operation *> needed = neededOf();
    for (BlockArgument argument : forward.getIteration().getArguments())
      if (llvm::any_of(argument.getUsers(), [&](Operation *user) { return isNeeded(user, needed); }))
        mapping.map(argument, read(argument.getArgNumber()));
    // 4. The equations themselves.
    OpBuilder builder = OpBuilder::atBlockBegin(&backward.getIteration());
    for (Operation *op : needed)
      builder.clone(*op, mapping);
    for (auto &[part, element] : found)
      part.replaceAllUsesWith(mapping.lookup(element));
    return true;
  }

private:
  // Whether a user stands in one of these equations: it may be inside an inner loop.
  static bool isNeeded(Operation *user, ArrayRef<Operation *> needed) {
    return llvm::any_of(needed, [&](Operation *op) { return op->isAncestor(user); });
  }

  // A value that a forward loop's segments return.
  struct Source {
    ein::FuncOp maker;
    ein::LoopOp loop;
    Value element;
    unsigned argument; // of the backward body
  };

  // The origin of a slice of the backward loop, if that is a loop of segments in the F of the same layer. All calls of
  // the backward body must agree on it. Nullopt otherwise.
  std::optional<Source> sourceOf(Value slice) {
    auto argument = dyn_cast<BlockArgument>(ein::regrouped(slice));
    if (!argument || int64_t(argument.getArgNumber()) >= body.getNumData())
      return std::nullopt;
    Source source{{}, {}, {}, argument.getArgNumber()};
    unsigned number = 0;
    for (ein::CallOp call : calls.callsOf(body)) {
      auto result = dyn_cast<OpResult>(call.getArgs()[source.argument]);
      auto made = result ? dyn_cast<ein::CallOp>(result.getOwner()) : ein::CallOp();
      if (!made || made.getPath() != call.getPath())
        return std::nullopt;
      ein::FuncOp callee = calls.calleeOf(made);
      if (source.maker && (callee != source.maker || result.getResultNumber() != number))
        return std::nullopt;
      source.maker = callee;
      number = result.getResultNumber();
    }
    if (!source.maker || source.maker.getRole() != ein::BodyRole::F)
      return std::nullopt;
    Value given = source.maker.getBody().front().getTerminator()->getOperand(number);
    auto stacked = dyn_cast<OpResult>(ein::regrouped(given));
    source.loop = stacked ? dyn_cast<ein::LoopOp>(stacked.getOwner()) : ein::LoopOp();
    if (!source.loop || !ein::runsSegments(source.loop) || source.loop.getIterations() != backward.getIterations() ||
        stacked.getResultNumber() < source.loop.getNumCarries() || stacked.getType() != slice.getType())
      return std::nullopt;
    source.element = source.loop.getEnd()->getOperand(stacked.getResultNumber());
    return source;
  }

  // The equations of the forward segment that make what is found, in program order.
  SmallVector<Operation *> neededOf() {
    llvm::DenseSet<Operation *> reached;
    SmallVector<Value> stack;
    for (auto &[part, element] : found)
      stack.push_back(element);
    while (!stack.empty())
      if (Operation *op = stack.pop_back_val().getDefiningOp(); op && reached.insert(op).second)
        llvm::append_range(stack, op->getOperands());
    SmallVector<Operation *> needed;
    for (Operation &op : forward.getIteration())
      if (reached.contains(&op))
        needed.push_back(&op);
    return needed;
  }

  // The value of an argument of the forward segment, in a segment of the backward loop. A carry becomes a saved
  // element: what each segment began with.
  Value read(unsigned number) {
    unsigned carries = forward.getNumCarries();
    if (number < carries) {
      Value all = stackOf(forward, forward.getIteration().getArgument(number));
      return partOf(backward, bring(all));
    }
    Value operand = bring(forward.getOperand(number));
    return number < carries + forward.getSlices().size() ? partOf(backward, operand) : sharedOf(backward, operand);
  }

  // The call of F whose values a call of the backward body reads.
  ein::CallOp makerOf(ein::CallOp call) { return call.getArgs()[carrier].getDefiningOp<ein::CallOp>(); }

  // The value of the forward body in the backward one; each is brought once.
  Value bring(Value value) {
    auto [known, isNew] = brought.try_emplace(value);
    if (isNew) {
      Value here = bringNew(value);
      brought[value] = here;
      return here;
    }
    return known->second;
  }

  // An argument is passed to the backward body, too. A constant or a regrouping view is cloned. Any other value becomes
  // a result of F.
  Value bringNew(Value value) {
    OpBuilder builder(backward);
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      int64_t number = argument.getArgNumber(), data = maker.getNumData();
      if (number < data)
        return addData(value.getType(), [&](ein::CallOp call) { return makerOf(call).getArgs()[number]; });
      return addParam(value.getType(), [&](ein::CallOp call) { return makerOf(call).getParams()[number - data]; });
    }
    Operation *op = value.getDefiningOp();
    if (ein::isFree(value) || ein::isRegrouping(op)) {
      IRMapping mapping;
      for (Value operand : op->getOperands())
        mapping.map(operand, bring(operand));
      return builder.clone(*op, mapping)->getResult(0);
    }
    unsigned number = calls.addResult(maker, value);
    return addData(value.getType(), [&](ein::CallOp call) { return makerOf(call).getResult(number); });
  }

  // A data argument of the backward body with this value in each call. Adds one if there is none yet.
  Value addData(Type type, llvm::function_ref<Value(ein::CallOp)> valueIn) {
    ArrayRef<ein::CallOp> all = calls.callsOf(body);
    int64_t count = body.getNumData();
    for (int64_t i = 0; i < count; ++i)
      if (llvm::all_of(all, [&](ein::CallOp call) { return call.getArgs()[i] == valueIn(call); }))
        return body.getBody().getArgument(i);
    for (ein::CallOp call : all)
      call.getArgsMutable().append(valueIn(call));
    BlockArgument argument = body.getBody().insertArgument(count, type, body.getLoc());
    updateType(body);
    return argument;
  }

  // The same for parameters.
  Value addParam(Type type, llvm::function_ref<Attribute(ein::CallOp)> paramIn) {
    ArrayRef<ein::CallOp> all = calls.callsOf(body);
    int64_t first = body.getNumData(), count = body.getNumParams();
    for (int64_t i = 0; i < count; ++i)
      if (llvm::all_of(all, [&](ein::CallOp call) { return call.getParams()[i] == paramIn(call); }))
        return body.getBody().getArgument(first + i);
    for (ein::CallOp call : all) {
      SmallVector<Attribute> params(call.getParams().begin(), call.getParams().end());
      params.push_back(paramIn(call));
      call.setParamsAttr(ArrayAttr::get(call.getContext(), params));
    }
    BlockArgument argument = body.getBody().insertArgument(first + count, type, body.getLoc());
    body.setNumParams(count + 1);
    updateType(body);
    return argument;
  }

  Calls &calls;
  ein::FuncOp body, maker;
  ein::LoopOp backward, forward;
  unsigned carrier = 0;                        // an argument of the body that the call of F returns
  llvm::MapVector<BlockArgument, Value> found; // argument of the backward loop -> value of the forward segment
  DenseMap<Value, Value> brought;
};

struct EinRecomputeIterations : algebra::impl::EinRecomputeIterationsBase<EinRecomputeIterations> {
  void runOnOperation() override {
    if (failed(requireEquations(getOperation())))
      return signalPassFailure();
    for (ein::ModelOp model : getOperation().getOps<ein::ModelOp>()) {
      Calls calls(model);
      for (ein::FuncOp body : getOperation().getOps<ein::FuncOp>())
        for (auto loop : body.getBody().front().getOps<ein::LoopOp>())
          if (body.getRole() == ein::BodyRole::F)
            continue;
          else if (!ein::runsSegments(loop))
            remarkWhole(loop);
          else if (Recomputation(calls, body, loop).run())
            remark::passed(loop.getLoc(),
                           remark::RemarkOpts::name("Recomputed").category(getArgument()).function(body.getSymName()))
                << remark::add("{0} segments run their iterations again", loop.getIterations());
    }
    // F still returns the values that nothing reads any more: first loops in bodies, then results of bodies, then loops
    // again.
    prune();
    pruneBodies(getOperation(), getArgument());
    prune();
  }

private:
  // Warns where a request to recompute has no effect.
  static void remarkWhole(ein::LoopOp loop) {
    if (loop.getIterations() >= fewestIterations)
      loop.emitWarning("the ") << loop.getIterations()
                               << " iterations of this loop do not run again: " << loop.getIterations()
                               << " is no product of two numbers of at least " << fewestOfSegment
                               << ", so what they save is kept";
  }
  void prune() {
    for (ein::FuncOp body : getOperation().getOps<ein::FuncOp>())
      pruneLoops(body.getBody().front());
  }
};

} // namespace
