//===- CopyOperands.cpp - brings operands into a form that kernels read ----===//
#include "CopyOperands.h"

#include "plc/Analysis/GatheredFactors.h"
#include "plc/Analysis/Layout.h"
#include "plc/Analysis/IterationMemory.h"
#include "plc/Dialect/Ein/Views.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace plc;
using namespace plc::kernels;

Value kernels::accumulatorOf(Operation *op) {
  auto equation = dyn_cast<ein::Equation>(op);
  return equation ? equation.getAccumulator() : Value();
}

Value kernels::givenFor(Value made) {
  Value given;
  for (Value returned : made.getParentBlock()->getTerminator()->getOperands()) {
    if (ein::regrouped(returned) != made)
      continue;
    if (given && given != returned)
      return made;
    given = returned;
  }
  return given ? given : made;
}

namespace {

// An equation that stores a value in the order of its type.
Value copyOf(Value value, OpBuilder &builder) {
  auto type = cast<RankedTensorType>(value.getType());
  auto map = AffineMapAttr::get(builder.getMultiDimIdentityMap(type.getRank()));
  return ein::MapOp::create(builder, value.getLoc(), type, ein::Function::id, value, type.getShape(),
                            builder.getArrayAttr({map, map}));
}

// Copies returned views that no kernel can return: views of arguments, and of values that the body returns otherwise
// too.
void copyReturnedViews(Block &block) {
  OpBuilder builder(block.getTerminator());
  for (OpOperand &operand : block.getTerminator()->getOpOperands()) {
    Value value = operand.get(), shown = ein::regrouped(value);
    Operation *maker = shown.getDefiningOp();
    // A kernel can return the view in place of the value, if the value is its own and the view its only form outside.
    bool gives = maker && !ein::isView(maker) && !accumulatorOf(maker) && givenFor(shown) == value;
    if (ein::isView(value.getDefiningOp()) && !gives)
      operand.set(copyOf(value, builder));
  }
}

// Moves a widening cast behind the views of it, since contractions read a narrow tensor in place through views. The old
// views stay for other readers.
void widenBehindViews(Block &block) {
  llvm::SmallPtrSet<Operation *, 8> left;
  for (auto contract : block.getOps<ein::ContractOp>())
    for (OpOperand &factor : contract.getInputsMutable()) {
      SmallVector<Operation *> views;
      Value shown = factor.get();
      for (; ein::isView(shown.getDefiningOp()); shown = shown.getDefiningOp()->getOperand(0))
        views.push_back(shown.getDefiningOp());
      Value held = ein::heldAs(shown);
      if (views.empty() || held == shown)
        continue;
      left.insert_range(views);
      left.insert(shown.getDefiningOp());
      OpBuilder builder(views.front());
      Value narrow = held;
      // From the narrow tensor outwards: the view nearest to it first.
      for (Operation *view : llvm::reverse(views)) {
        Operation *clone = builder.clone(*view);
        clone->setOperand(0, narrow);
        narrow = clone->getResult(0);
        narrow.setType(cast<RankedTensorType>(narrow.getType()).clone(getElementTypeOrSelf(held.getType())));
      }
      factor.set(ein::CastOp::create(builder, contract.getLoc(), factor.get().getType(), narrow));
    }
  // In reverse, so that a reader goes before the value that it reads.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (left.contains(&op) && op.use_empty())
      op.erase();
}

// Gives each contraction its own gather and cast to read in place: the kernel holds them, so no other may need them.
void readFactorsInPlace(Block &block) {
  auto makeOwn = [](Operation *reader, unsigned operand) {
    if (Operation *maker = reader->getOperand(operand).getDefiningOp(); !maker->hasOneUse())
      reader->setOperand(operand, OpBuilder(maker).clone(*maker)->getResult(0));
    return reader->getOperand(operand).getDefiningOp();
  };
  for (auto contract : block.getOps<ein::ContractOp>())
    for (unsigned operand = 0; operand < contract.getInputs().size(); ++operand) {
      Value factor = contract.getInputs()[operand];
      bool widens = ein::heldAs(factor) != factor, gathers = bool(ein::readInPlace(contract, operand));
      // A gather may stand behind the cast: the cast becomes the contraction's own first, then the gather becomes the
      // cast's.
      Operation *reader = widens ? makeOwn(contract, operand) : contract.getOperation();
      if (gathers)
        makeOwn(reader, widens ? 0 : operand);
    }
}

// Copies operands that iterations could not read in place: a carry, and each slice, must be one piece.
void copyApart(ein::LoopOp loop) {
  OpBuilder builder(loop);
  for (OpOperand &operand : loop->getOpOperands()) {
    bool isSlice = operand.getOperandNumber() - loop.getInit().size() < loop.getSlices().size();
    if (!plan::isOnePiece(operand.get(), isSlice))
      operand.set(copyOf(operand.get(), builder));
  }
}

// Copies windows whose axes are merged: the merged axis has no single stride.
void copyMergedWindows(Block &block) {
  for (auto merge : block.getOps<ein::MergeOp>())
    if (!ein::findLayout(merge)) {
      OpBuilder builder(merge);
      merge.getInputMutable().assign(copyOf(merge.getInput(), builder));
    }
}

} // namespace

// Copies follow the moved casts, which change what is read. Clones come last: copies add readers.
void kernels::copyOperands(Block &block) {
  widenBehindViews(block);
  copyMergedWindows(block);
  for (auto loop : block.getOps<ein::LoopOp>())
    copyApart(loop);
  copyReturnedViews(block);
  readFactorsInPlace(block);
}

// Copies values that an iteration returns but does not compute, or returns twice: each result has a buffer of its own.
void kernels::copyTurnResults(ein::LoopOp loop) {
  Operation *end = loop.getEnd();
  OpBuilder builder(end);
  llvm::SmallPtrSet<Value, 8> seen;
  for (OpOperand &operand : end->getOpOperands()) {
    // Carries come first, then elements. A value may be both, so the two lists are checked apart.
    if (operand.getOperandNumber() == loop.getInit().size())
      seen.clear();
    if (isa<BlockArgument>(operand.get()) || seen.contains(operand.get()))
      operand.set(copyOf(operand.get(), builder));
    seen.insert(operand.get());
  }
}
