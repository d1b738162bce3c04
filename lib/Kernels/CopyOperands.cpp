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

Value copyOf(Value value, OpBuilder &builder) {
  auto type = cast<RankedTensorType>(value.getType());
  auto map = AffineMapAttr::get(builder.getMultiDimIdentityMap(type.getRank()));
  return ein::MapOp::create(builder, value.getLoc(), type, ein::Function::id, value, type.getShape(),
                            builder.getArrayAttr({map, map}));
}

// A result that shows an argument, or a value of which the body returns something else too, is a copy.
void copyReturnedViews(Block &block) {
  OpBuilder builder(block.getTerminator());
  for (OpOperand &operand : block.getTerminator()->getOpOperands()) {
    Value value = operand.get(), shown = ein::regrouped(value);
    Operation *maker = shown.getDefiningOp();
    bool gives = maker && !ein::isView(maker) && !accumulatorOf(maker) && givenFor(shown) == value;
    if (ein::isView(value.getDefiningOp()) && !gives)
      operand.set(copyOf(value, builder));
  }
}

// A view of a widened tensor is what a view of the narrow one shows, widened: contractions read that in place.
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
      for (Operation *view : llvm::reverse(views)) {
        Operation *clone = builder.clone(*view);
        clone->setOperand(0, narrow);
        narrow = clone->getResult(0);
        narrow.setType(cast<RankedTensorType>(narrow.getType()).clone(getElementTypeOrSelf(held.getType())));
      }
      factor.set(ein::CastOp::create(builder, contract.getLoc(), factor.get().getType(), narrow));
    }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (left.contains(&op) && op.use_empty())
      op.erase();
}

// A contraction that reads a table, or what it widens, in place has a gather and a cast of its own.
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
      Operation *reader = widens ? makeOwn(contract, operand) : contract.getOperation();
      if (gathers)
        makeOwn(reader, widens ? 0 : operand);
    }
}

// Turns read their operands where these lie: a carry, or a part of a slice, is one piece.
void copyApart(ein::LoopOp loop) {
  OpBuilder builder(loop);
  for (OpOperand &operand : loop->getOpOperands()) {
    bool isSlice = operand.getOperandNumber() - loop.getInit().size() < loop.getSlices().size();
    if (!plan::isOnePiece(operand.get(), isSlice))
      operand.set(copyOf(operand.get(), builder));
  }
}

// Axes that a window has drawn apart are merged in a copy.
void copyMergedWindows(Block &block) {
  for (auto merge : block.getOps<ein::MergeOp>())
    if (!ein::findLayout(merge)) {
      OpBuilder builder(merge);
      merge.getInputMutable().assign(copyOf(merge.getInput(), builder));
    }
}

} // namespace

void kernels::copyOperands(Block &block) {
  widenBehindViews(block);
  copyMergedWindows(block);
  for (auto loop : block.getOps<ein::LoopOp>())
    copyApart(loop);
  copyReturnedViews(block);
  readFactorsInPlace(block);
}

void kernels::copyTurnResults(ein::LoopOp loop) {
  Operation *end = loop.getEnd();
  OpBuilder builder(end);
  llvm::SmallPtrSet<Value, 8> seen;
  for (OpOperand &operand : end->getOpOperands()) {
    if (operand.getOperandNumber() == loop.getInit().size())
      seen.clear();
    if (isa<BlockArgument>(operand.get()) || seen.contains(operand.get()))
      operand.set(copyOf(operand.get(), builder));
    seen.insert(operand.get());
  }
}
