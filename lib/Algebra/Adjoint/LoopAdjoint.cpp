//===- LoopAdjoint.cpp - gradients through the iterations of a loop -------===//
//
// The adjoint of a loop is a loop that runs the other way.
// - An iteration takes the gradients of what the forward iteration returned: of the carries, which the next iteration
//   read, and of the elements. It returns the gradients of what the forward iteration read.
// - The forward loop saves the values that this needs, as further elements.
// - Gradients of invariants are summed over the iterations after the loop. Those of a loop of segments are carried from
//   segment to segment, so that no value of all iterations has to exist.
//
// Both loops are cut from one joint body, as F, B and W are in `SplitBody.cpp`.
//
//===----------------------------------------------------------------------===//
#include "LoopAdjoint.h"
#include "Adjoint.h"
#include "Base/Bodies.h"
#include "Loops/LoopRewrites.h"
#include "Residuals.h"
#include "SplitBody.h"
#include "plc/Analysis/IterationSpace.h"
#include "plc/Dialect/Ein/Loops.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

// Whether a value is a `scatter_add`, or made of such alone. It adds at few positions of a large tensor; a carried sum
// would write and add all of it in each segment.
static bool isScattered(Value value) {
  Operation *op = value.getDefiningOp();
  auto map = dyn_cast_or_null<ein::MapOp>(op);
  bool passesOn = map && llvm::is_contained({ein::Function::add, ein::Function::id}, map.getFunction());
  return (isa_and_nonnull<ein::ScatterAddOp>(op) && ein::reductionOf(op) == ein::Reduction::sum) ||
         (passesOn && llvm::all_of(map.getInputs(), isScattered));
}

static bool holdsReals(Value value) { return ein::findElementKind(value.getType()) == ElementKind::Real; }

// A carry may become active through the iteration before, so this repeats until nothing changes.
llvm::DenseSet<Value> algebra::activeArguments(ein::LoopOp loop, const llvm::DenseSet<Value> &active) {
  llvm::DenseSet<Value> sources;
  for (auto [operand, argument] : llvm::zip(loop.getOperands(), loop.getIteration().getArguments()))
    if (active.contains(operand) && holdsReals(operand))
      sources.insert(argument);
  for (bool changed = true; changed;) {
    changed = false;
    llvm::DenseSet<Value> values = activeValues(loop.getIteration(), sources);
    for (auto [carry, next] : llvm::zip(loop.getCarries(), loop.getNextCarries()))
      if (values.contains(next) && holdsReals(carry))
        changed |= sources.insert(carry).second;
  }
  return sources;
}

namespace {

// The joint body, `joint`, has the forward iteration's values and then the gradients of its active arguments. Its
// further arguments are gradients of what the iteration returns.
class LoopDifferentiator {
public:
  LoopDifferentiator(OpBuilder &builder, ein::LoopOp loop, ArrayRef<Value> gradients,
                     const llvm::DenseSet<Value> &active)
      : builder(builder), loop(loop), gradients(gradients), sources(activeArguments(loop, active)) {}

  LogicalResult run(SmallVectorImpl<std::pair<Value, Value>> &contributions) {
    SmallVector<Value> operands(loop.getOperands());
    // 1. A joint body of forward iteration and gradients. 2. The values to save. 3. The two loops.
    joint = cast<ein::LoopOp>(OpBuilder(loop).clone(*loop));
    if (failed(appendGradients())) {
      joint.erase();
      return failure();
    }
    eraseAll<ein::StopOp>(joint);
    simplifyRegion(joint.getBody());
    chooseSaved();
    ein::LoopOp forward = makeForward();
    // Equations that leave the backward loop make it anew. So its gradients are operands of a temporary operation until
    // then.
    ein::ReturnOp found = makeBackward(forward);
    joint.erase();
    for (auto [index, gradient] : llvm::zip(gradientArguments, found.getOperands()))
      contributions.push_back({operands[index], gradient});
    found.erase();
    return success();
  }

private:
  // Appends the gradients of the active arguments to the results of the joint body.
  LogicalResult appendGradients() {
    Block &iteration = joint.getIteration();
    numForward = joint.getEnd()->getNumOperands();
    numArguments = iteration.getNumArguments();
    llvm::DenseSet<Value> ofJoint;
    for (auto [own, argument] : llvm::zip(loop.getIteration().getArguments(), iteration.getArguments()))
      if (sources.contains(own))
        ofJoint.insert(argument);
    Adjoint adjoint(iteration, ofJoint);
    SmallVector<std::pair<Value, Value>> seeds;
    for (unsigned i = 0; i < numForward; ++i) {
      bool isCarry = i < loop.getNumCarries();
      if (isCarry ? !sources.contains(loop.getCarries()[i]) : !gradients[i])
        continue;
      Value given = joint.getEnd()->getOperand(i);
      seeds.push_back({given, iteration.addArgument(ein::wideTypeOf(given.getType()), given.getLoc())});
      seeded.push_back(i);
    }
    // Contributions are collected from the last consumer on.
    for (auto [value, gradient] : llvm::reverse(seeds))
      adjoint.seed(value, gradient);
    if (failed(adjoint.run()))
      return failure();
    SmallVector<Value> found;
    for (unsigned i = 0; i < numArguments; ++i) {
      if (!sources.contains(loop.getIteration().getArgument(i)))
        continue;
      Value gradient = adjoint.gradientOf(iteration.getArgument(i));
      // A carry without a contribution still needs a gradient, since the backward loop carries it.
      if (!gradient && i >= loop.getNumCarries())
        continue;
      if (!gradient) {
        OpBuilder atEnd(joint.getEnd());
        gradient = zerosOf(atEnd, joint.getLoc(), ein::wideTypeOf(iteration.getArgument(i).getType()));
      }
      // Gradients of invariants of a segment: added to the sum that is carried.
      if (ein::runsSegments(loop) && isShared(iteration.getArgument(i)) && !isScattered(gradient)) {
        accumulators[i] = iteration.addArgument(gradient.getType(), gradient.getLoc());
        OpBuilder atEnd(joint.getEnd());
        gradient = sumTree(atEnd, gradient.getLoc(), {accumulators[i], gradient});
      }
      found.push_back(gradient);
      gradientArguments.push_back(i);
    }
    joint.getEnd()->insertOperands(numForward, found);
    return success();
  }

  // Whether the backward loop carries the gradient of an argument.
  bool isCarried(unsigned argument) { return argument < joint.getInit().size() || accumulators.contains(argument); }
  bool isGradientArgument(Value value) const {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getArgNumber() >= numArguments;
  }
  // Whether a value is an invariant: the backward loop reads it, too, so it is never saved.
  bool isShared(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getArgNumber() < numArguments &&
           argument.getArgNumber() >= numArguments - loop.getInvariants().size();
  }

  // Chooses the forward values that the backward loop reads. They are saved, except for invariants and what is cheap to
  // recompute.
  void chooseSaved() {
    SmallVector<Value> stack(joint.getEnd()->getOperands().take_front(numForward));
    llvm::DenseSet<Operation *> forward;
    while (!stack.empty())
      if (Operation *op = stack.pop_back_val().getDefiningOp(); op && forward.insert(op).second)
        llvm::append_range(stack, op->getOperands());
    auto isOfForward = [&](Value value) {
      if (Operation *op = value.getDefiningOp())
        return forward.contains(op);
      return !isShared(value) && !isGradientArgument(value);
    };
    llvm::SetVector<Value> needed;
    auto need = [&](Value value) {
      if (isOfForward(value))
        needed.insert(value);
    };
    for (Operation &op : joint.getIteration().without_terminator())
      if (!forward.contains(&op))
        llvm::for_each(op.getOperands(), need);
    llvm::for_each(joint.getEnd()->getOperands().drop_front(numForward), need);
    auto isGiven = [&](Value value) { return isShared(value) || isGradientArgument(value); };
    // An element of a sliced operand counts half: the operand exists anyway.
    saved = Residuals(isGiven, isOfForward, 0.5).choose(needed);
  }

  // Clones into `body` the equations that the values need, down to values that are mapped.
  void cloneNeeded(OpBuilder &body, ValueRange values, IRMapping &mapping) {
    llvm::DenseSet<Operation *> needed;
    SmallVector<Value> stack(values);
    while (!stack.empty()) {
      Value value = stack.pop_back_val();
      Operation *op = value.getDefiningOp();
      if (op && !mapping.contains(value) && needed.insert(op).second)
        llvm::append_range(stack, op->getOperands());
    }
    for (Operation &op : joint.getIteration().without_terminator())
      if (needed.contains(&op))
        body.clone(op, mapping);
  }

  // Replaces the loop by one that also returns the saved values as elements.
  ein::LoopOp makeForward() {
    OpBuilder at(loop);
    SmallVector<Value> given(joint.getEnd()->getOperands().take_front(numForward));
    SmallVector<Type> types(loop.getResultTypes());
    for (Value value : saved)
      if (!partNumber(value)) {
        given.push_back(value);
        types.push_back(ein::stackedType(value.getType(), loop.getIterations()));
      }
    auto made = ein::LoopOp::create(at, loop.getLoc(), types, loop.getInit(), loop.getSlices(), loop.getInvariants(),
                                    loop.getIterationsAttr(), loop.getReverseAttr());
    made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    IRMapping mapping;
    fill(made, joint.getIteration().getArguments().take_front(numArguments), given, mapping);
    for (auto [before, after] : llvm::zip(loop.getResults(), made.getResults()))
      before.replaceAllUsesWith(after);
    loop.erase();
    return made;
  }

  // The number of the slice operand that a value is a part of; nullopt for other values. Such parts need not be saved:
  // the backward loop slices the same operand.
  std::optional<unsigned> partNumber(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getArgNumber() < joint.getInit().size())
      return std::nullopt;
    return argument.getArgNumber() - joint.getInit().size();
  }

  // Builds the body of a new loop, from the equations that `given` needs.
  void fill(ein::LoopOp made, ArrayRef<BlockArgument> arguments, ValueRange given, IRMapping &mapping) {
    OpBuilder body(made.getContext());
    Block *iteration = body.createBlock(&made.getBody());
    for (BlockArgument argument : arguments)
      mapping.map(argument, iteration->addArgument(argument.getType(), argument.getLoc()));
    finish(body, given, mapping);
  }

  void finish(OpBuilder &body, ValueRange given, IRMapping &mapping) {
    cloneNeeded(body, given, mapping);
    SmallVector<Value> returned;
    for (Value value : given)
      returned.push_back(mapping.lookup(value));
    ein::ReturnOp::create(body, joint.getLoc(), returned);
  }

  // Builds the backward loop. Returns a temporary operation whose operands are the gradients of `gradientArguments`.
  ein::ReturnOp makeBackward(ein::LoopOp forward) {
    Location loc = forward.getLoc();
    SmallVector<Value> init, slices;
    SmallVector<Type> results;
    SmallVector<BlockArgument> carried, parts; // of the joint body
    SmallVector<Value> next, elements;
    ArrayRef<BlockArgument> ofGradients = joint.getIteration().getArguments().drop_front(numArguments);
    // Operands: gradients of carries are carried, those of elements are sliced.
    for (auto [number, argument] : llvm::zip(seeded, ofGradients)) {
      if (number < forward.getNumCarries()) {
        init.push_back(gradients[number] ? gradients[number] : zerosOf(builder, loc, argument.getType()));
        carried.push_back(argument);
        results.push_back(argument.getType());
      } else {
        slices.push_back(gradients[number]);
        parts.push_back(argument);
      }
    }
    // The sums of a loop of segments start at 0.
    for (auto &[number, accumulator] : accumulators) {
      init.push_back(zerosOf(builder, loc, accumulator.getType()));
      carried.push_back(accumulator);
      results.push_back(accumulator.getType());
    }
    ValueRange ofArguments = joint.getEnd()->getOperands().drop_front(numForward);
    // Results: gradients of carries and carried sums, then those of slices and invariants as elements.
    for (auto [number, gradient] : llvm::zip(gradientArguments, ofArguments))
      (isCarried(number) ? next : elements).push_back(gradient);
    assert(next.size() == carried.size() && "each active carry has a gradient");
    for (Value element : elements)
      results.push_back(ein::stackedType(element.getType(), forward.getIterations()));

    OpBuilder body(builder.getContext());
    SmallVector<std::pair<Value, Value>> savedSlices; // joint value, slice
    unsigned nextSaved = numForward;
    for (Value value : saved) {
      // A saved element is a further result of the forward loop.
      std::optional<unsigned> part = partNumber(value);
      savedSlices.push_back({value, part ? forward.getSlices()[*part] : Value(forward.getResult(nextSaved++))});
      slices.push_back(savedSlices.back().second);
    }
    auto made =
        ein::LoopOp::create(builder, loc, results, init, slices, forward.getInvariants(), forward.getIterationsAttr(),
                            forward.getReverse() ? UnitAttr() : builder.getUnitAttr());
    made->setDiscardableAttrs(forward->getDiscardableAttrDictionary());
    Block *iteration = body.createBlock(&made.getBody());
    IRMapping mapping;
    auto add = [&](Value value) { mapping.map(value, iteration->addArgument(value.getType(), value.getLoc())); };
    llvm::for_each(carried, add);
    llvm::for_each(parts, add);
    for (auto [value, slice] : savedSlices)
      add(value);
    unsigned firstShared = numArguments - forward.getInvariants().size();
    for (BlockArgument shared : joint.getIteration().getArguments().slice(firstShared, forward.getInvariants().size()))
      add(shared);
    SmallVector<Value> given(next);
    llvm::append_range(given, elements);
    finish(body, given, mapping);
    return gather(made, firstShared);
  }

  // The gradients of the operands, from the results of the backward loop. Those of invariants are elements and are
  // summed over the iterations.
  ein::ReturnOp gather(ein::LoopOp backward, unsigned firstShared) {
    SmallVector<Value> found;
    SmallVector<ein::ReduceOp> sums;
    unsigned nextCarry = 0, nextElement = backward.getNumCarries();
    for (unsigned number : gradientArguments) {
      Value result = backward.getResult(isCarried(number) ? nextCarry++ : nextElement++);
      if (number < firstShared || isCarried(number)) {
        found.push_back(result);
        continue;
      }
      Dims axes = axesOf(result.getType());
      EquationBuilder build(builder, backward.getLoc(), dimensionsOf(result));
      Value sum = build.reduce(ein::Reduction::sum, {result, axes}, Dims(llvm::drop_begin(axes)));
      sums.push_back(sum.getDefiningOp<ein::ReduceOp>());
      found.push_back(sum);
    }
    auto holder = ein::ReturnOp::create(builder, backward.getLoc(), found);
    // What need not wait leaves the loop. Then an equation that makes elements can sum over the iterations itself.
    splitLoop(backward);
    builder.setInsertionPoint(holder);
    for (ein::ReduceOp sum : sums) {
      sum.replaceAllUsesWith(sumOverIterations(builder, sum.getLoc(), sum.getInput()));
      sum.erase();
    }
    builder.setInsertionPointAfter(holder);
    return holder;
  }

  OpBuilder &builder;
  ein::LoopOp loop, joint;
  ArrayRef<Value> gradients;
  llvm::DenseSet<Value> sources; // arguments of the body that need gradients, in any iteration
  unsigned numForward = 0, numArguments = 0;
  SmallVector<unsigned> seeded;            // results of the body that have gradients
  SmallVector<unsigned> gradientArguments; // arguments that have gradients
  // In a loop of segments: the sum of the segments that ran before, by the argument whose gradient it is.
  llvm::MapVector<unsigned, BlockArgument> accumulators;
  llvm::SetVector<Value> saved;
};

} // namespace

LogicalResult algebra::differentiateLoop(OpBuilder &builder, ein::LoopOp loop, ArrayRef<Value> gradients,
                                         const llvm::DenseSet<Value> &active,
                                         SmallVectorImpl<std::pair<Value, Value>> &contributions) {
  return LoopDifferentiator(builder, loop, gradients, active).run(contributions);
}
