//===- EditLoop.cpp - edits operands and results of a loop ----------------===//
#include "Base/Bodies.h"
#include "LoopRewrites.h"
#include "plc/Dialect/Ein/Loops.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

// Builders number the results, so another number of results needs another operation.
ein::LoopOp algebra::remake(ein::LoopOp loop, ValueRange init, ValueRange slices, ValueRange invariants,
                            TypeRange results) {
  OpBuilder builder(loop);
  auto made = ein::LoopOp::create(builder, loop.getLoc(), results, init, slices, invariants, loop.getIterationsAttr(),
                                  loop.getReverseAttr());
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  made.getBody().takeBody(loop.getBody());
  return made;
}

Value algebra::partOf(ein::LoopOp loop, Value stacked) {
  // A value that is sliced already is not sliced twice.
  for (auto [slice, part] : llvm::zip(loop.getSlices(), loop.getParts()))
    if (slice == stacked)
      return part;
  // Arguments are carries, then slices, then invariants.
  unsigned position = loop.getInit().size() + loop.getSlices().size();
  loop.getSlicesMutable().append(stacked);
  return loop.getIteration().insertArgument(position, ein::partType(stacked.getType()), stacked.getLoc());
}

Value algebra::sharedOf(ein::LoopOp loop, Value value) {
  for (auto [invariant, argument] : llvm::zip(loop.getInvariants(), loop.getShared()))
    if (invariant == value)
      return argument;
  loop.getInvariantsMutable().append(value);
  return loop.getIteration().addArgument(value.getType(), value.getLoc());
}

Value algebra::stackOf(ein::LoopOp &loop, Value value) {
  for (auto [element, stacked] : llvm::zip(loop.getElements(), loop.getStacked()))
    if (element == value)
      return stacked;
  SmallVector<Type> types(loop.getResultTypes());
  types.push_back(ein::stackedType(value.getType(), loop.getIterations()));
  loop.getEnd()->insertOperands(loop.getEnd()->getNumOperands(), value);
  // A result more needs another operation; the caller's handle follows it.
  ein::LoopOp old = loop;
  loop = remake(old, old.getInit(), old.getSlices(), old.getInvariants(), types);
  for (auto [before, after] : llvm::zip(old.getResults(), loop.getResults()))
    before.replaceAllUsesWith(after);
  old.erase();
  return loop.getResults().back();
}

namespace {

// The values of the body that used results need, in any iteration. A live carry makes the value that it gets from the
// iteration before live.
llvm::DenseSet<Value> liveValues(ein::LoopOp loop) {
  llvm::DenseSet<Value> live;
  SmallVector<Value> stack;
  auto push = [&](Value value) {
    if (live.insert(value).second)
      stack.push_back(value);
  };
  // The roots: what used results get from an iteration.
  for (auto [result, given] : llvm::zip(loop.getResults(), loop.getEnd()->getOperands()))
    if (!result.use_empty())
      push(given);
  while (!stack.empty()) {
    Value value = stack.pop_back_val();
    if (Operation *op = value.getDefiningOp())
      llvm::for_each(op->getOperands(), push);
    else if (unsigned number = cast<BlockArgument>(value).getArgNumber(); number < loop.getNumCarries())
      push(loop.getNextCarries()[number]);
  }
  return live;
}

// Merges arguments that are always equal: a carry that never changes becomes an invariant, and an operand that occurs
// twice is read as one argument.
void mergeArguments(ein::LoopOp loop) {
  // By induction such a carry has its first value in every iteration.
  for (unsigned i = 0; i < loop.getNumCarries(); ++i)
    if (BlockArgument carry = loop.getCarries()[i]; loop.getNextCarries()[i] == carry) {
      loop.getLastCarries()[i].replaceAllUsesWith(loop.getInit()[i]);
      Value shared = sharedOf(loop, loop.getInit()[i]);
      carry.replaceUsesWithIf(shared, [&](OpOperand &use) { return use.getOwner() != loop.getEnd(); });
    }
  auto merge = [](ValueRange operands, ArrayRef<BlockArgument> arguments) {
    for (size_t i = 0; i < operands.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (operands[i] == operands[j])
          Value(arguments[i]).replaceAllUsesWith(arguments[j]);
  };
  // Elements alone: two carries may be equal at the end and still begin differently.
  for (unsigned i = loop.getNumCarries(); i < loop.getNumResults(); ++i)
    for (unsigned j = loop.getNumCarries(); j < i; ++j)
      if (loop.getEnd()->getOperand(i) == loop.getEnd()->getOperand(j))
        loop.getResult(i).replaceAllUsesWith(loop.getResult(j));
  merge(loop.getSlices(), loop.getParts());
  merge(loop.getInvariants(), loop.getShared());
}

// Erases what is not live, and makes the loop anew if operands or results change.
void pruneLoop(ein::LoopOp loop) {
  mergeArguments(loop);
  llvm::DenseSet<Value> live = liveValues(loop);
  unsigned carries = loop.getNumCarries(), numArguments = loop.getIteration().getNumArguments();
  auto isNeeded = [&](unsigned argument) {
    // A carry is also needed for its last value.
    return live.contains(loop.getIteration().getArgument(argument)) ||
           (argument < carries && !loop.getResult(argument).use_empty());
  };
  BitVector deadArguments(numArguments), deadResults(loop.getNumResults());
  // A carry goes with its result, all other results by their own uses.
  for (unsigned i = 0; i < numArguments; ++i)
    deadArguments[i] = !isNeeded(i);
  for (unsigned i = 0; i < loop.getNumResults(); ++i)
    deadResults[i] = i < carries ? bool(deadArguments[i]) : loop.getResult(i).use_empty();
  // First the results, then what only they kept alive, then the arguments that nothing reads any more.
  loop.getEnd()->eraseOperands(deadResults);
  eraseDead(loop.getBody());
  if (deadArguments.none() && deadResults.none())
    return;
  SmallVector<Value> kept[3], results;
  for (auto [index, operand] : llvm::enumerate(loop.getOperands()))
    if (!deadArguments[index])
      kept[index < carries ? 0 : index < carries + loop.getSlices().size() ? 1 : 2].push_back(operand);
  for (auto [index, result] : llvm::enumerate(loop.getResults()))
    if (!deadResults[index])
      results.push_back(result);
  loop.getIteration().eraseArguments(deadArguments);
  ein::LoopOp made = remake(loop, kept[0], kept[1], kept[2], ValueRange(results).getTypes());
  for (auto [before, after] : llvm::zip(results, made.getResults()))
    before.replaceAllUsesWith(after);
  loop.erase();
}

} // namespace

void algebra::pruneLoops(Block &block) {
  // Readers come first, since pruning them may free what they read.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    auto loop = dyn_cast<ein::LoopOp>(op);
    if (!loop)
      continue;
    if (loop->use_empty()) {
      loop.erase();
      continue;
    }
    pruneLoops(loop.getIteration());
    pruneLoop(loop);
  }
}
