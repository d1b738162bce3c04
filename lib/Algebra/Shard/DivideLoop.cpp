//===- DivideLoop.cpp - loops that compute each shard alone ---------------===//
//
// An iteration that handles each element of the divided axis alone, as a scan handles channels, is one iteration for
// each shard. Then the loop is one loop for each shard, and no loop waits for another one.
//
// Which values of an iteration are in shards follows from what it reads. A value that goes to the next iteration is in
// shards as that one reads it. So the analysis repeats until nothing changes.
//
//===----------------------------------------------------------------------===//
#include "DivideLoop.h"
#include "Base/Equations.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

namespace {

// Finds the axes of all values of an iteration by forward propagation to a fixpoint. Gives up where a value is needed
// whole: a sum over shards in each iteration would make the loops wait for each other.
class IterationAxes {
public:
  IterationAxes(ein::LoopOp loop, int64_t shards) : loop(loop), shards(shards) {}

  // Axis 0 of a sliced operand counts iterations, so it cannot be the divided one; others are one less inside.
  std::optional<LoopAxes> run(const Axes &given) {
    for (auto [index, axis] : llvm::enumerate(given)) {
      bool isSlice = isSliced(index);
      if (isSlice && axis == 0)
        return std::nullopt;
      if (axis)
        axisOf[loop.getIteration().getArgument(index)] = *axis - isSlice;
    }
    for (bool changed = true; changed;) {
      changed = false;
      if (!followIteration() || !followCarries(changed))
        return std::nullopt;
    }
    LoopAxes axes;
    for (BlockArgument argument : loop.getIteration().getArguments())
      axes.operands.push_back(find(argument, isSliced(argument.getArgNumber())));
    for (BlockArgument carry : loop.getCarries())
      axes.results.push_back(find(carry));
    for (Value element : loop.getElements())
      axes.results.push_back(find(element, 1));
    axes.ofIteration = std::move(axisOf);
    return axes;
  }

private:
  // Whether an operand of the loop is sliced.
  bool isSliced(unsigned operand) {
    return operand >= loop.getInit().size() && operand < loop.getInit().size() + loop.getSlices().size();
  }

  // The axis of a value, plus `more`; nullopt if it is whole.
  std::optional<int64_t> find(Value value, int64_t more = 0) {
    auto found = axisOf.find(value);
    return found == axisOf.end() ? std::nullopt : std::optional(found->second + more);
  }

  // Propagates axes through one iteration. False if an equation needs more than its own shard.
  bool followIteration() {
    for (Operation &op : loop.getIteration().without_terminator())
      if (llvm::any_of(op.getOperands(), [&](Value operand) { return axisOf.contains(operand); })) {
        std::optional<int64_t> axis = axisOfResult(&op);
        if (!axis)
          return false;
        axisOf[op.getResult(0)] = *axis;
      }
    return true;
  }

  // Propagates axes from what an iteration returns to what the next one reads. A whole initial value is sliced there.
  bool followCarries(bool &changed) {
    for (auto [carry, next] : llvm::zip(loop.getCarries(), loop.getNextCarries()))
      if (std::optional<int64_t> axis = find(next)) {
        auto [known, isNew] = axisOf.try_emplace(carry, *axis);
        changed |= isNew;
        if (known->second != *axis)
          return false;
      }
    return true;
  }

  // The axis of an operation's result, given those of its operands.
  std::optional<int64_t> axisOfResult(Operation *op) {
    auto equation = dyn_cast<ein::Equation>(op);
    if (equation && !isa<ein::PutOp>(op))
      return axisOfEquation(equation);
    return op->getNumOperands() == 1 && op->getNumResults() == 1
               ? axisBehind(op, axisOf.lookup(op->getOperand(0)), shards)
               : std::nullopt;
  }

  // All inputs must be in shards along one dimension or whole, and the result must have that dimension.
  std::optional<int64_t> axisOfEquation(ein::Equation op) {
    std::optional<int64_t> dim;
    for (OpOperand &operand : op->getOpOperands()) {
      std::optional<int64_t> axis = find(operand.get());
      if (!axis)
        continue;
      if (operand.getOperandNumber() >= op.getInputs().size())
        return std::nullopt;
      int64_t own = inputOf(op, operand.getOperandNumber()).dims[*axis];
      if (own < 0 || (dim && own != *dim))
        return std::nullopt;
      dim = own;
    }
    for (const Access &input : inputsOf(op))
      if (llvm::count(input.dims, *dim) > 1) // the diagonal of a shard is no shard of the diagonal
        return std::nullopt;
    Access result = resultOf(op);
    return llvm::count(result.dims, *dim) == 1 ? std::optional(llvm::find(result.dims, *dim) - result.dims.begin())
                                               : std::nullopt;
  }

  ein::LoopOp loop;
  int64_t shards;
  llvm::DenseMap<Value, int64_t> axisOf;
};

} // namespace

std::optional<LoopAxes> algebra::axesOfLoop(ein::LoopOp loop, const Axes &given, int64_t shards) {
  return IterationAxes(loop, shards).run(given);
}

// Builds the loop from clones: types of divided values shrink, and equations are divided by `partOf`.
ein::LoopOp algebra::loopOfPart(OpBuilder &builder, ein::LoopOp loop, ValueRange operands, const LoopAxes &axes,
                                int64_t shard, int64_t shards) {
  SmallVector<Type> results;
  for (auto [type, axis] : llvm::zip(loop.getResultTypes(), axes.results))
    results.push_back(axis ? partType(type, *axis, shards) : type);
  size_t carries = loop.getInit().size(), slices = loop.getSlices().size();
  auto made = ein::LoopOp::create(builder, loop.getLoc(), results, operands.take_front(carries),
                                  operands.slice(carries, slices), operands.drop_front(carries + slices),
                                  loop.getIterationsAttr(), loop.getReverseAttr());
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard guard(builder);
  Block *iteration = builder.createBlock(&made.getBody());
  IRMapping own;
  for (BlockArgument argument : loop.getIteration().getArguments()) {
    auto axis = axes.ofIteration.find(argument);
    Type type =
        axis == axes.ofIteration.end() ? argument.getType() : partType(argument.getType(), axis->second, shards);
    own.map(argument, iteration->addArgument(type, argument.getLoc()));
  }
  for (Operation &op : loop.getIteration().without_terminator()) {
    auto axis = op.getNumResults() ? axes.ofIteration.find(op.getResult(0)) : axes.ofIteration.end();
    if (axis == axes.ofIteration.end()) {
      builder.clone(op, own);
    } else if (auto equation = dyn_cast<ein::Equation>(op)) {
      SmallVector<Value> inputs = llvm::map_to_vector(op.getOperands(), [&](Value value) { return own.lookup(value); });
      int64_t dim = resultOf(equation).dims[axis->second];
      own.map(op.getResult(0), partOf(builder, equation, inputs, dim, shard, shards));
    } else {
      builder.clone(op, own)->getResult(0).setType(partType(op.getResult(0).getType(), axis->second, shards));
    }
  }
  SmallVector<Value> given;
  for (auto [index, value] : llvm::enumerate(loop.getEnd()->getOperands())) {
    Value mapped = own.lookup(value);
    bool isWhole = !axes.ofIteration.contains(value);
    // The next iteration reads a shard of this carry, so only that is passed on.
    if (index < carries && axes.results[index] && isWhole)
      mapped = sliceOf(builder, mapped, *axes.results[index], shard, shards);
    given.push_back(mapped);
  }
  ein::ReturnOp::create(builder, loop.getEnd()->getLoc(), given);
  return made;
}
