//===- Residuals.cpp - what to save for the backward pass -----------------===//
#include "Residuals.h"
#include "Base/Equations.h"
#include "plc/Analysis/IterationSpace.h"
#include "plc/Dialect/Ein/Views.h"

#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "ein-differentiate"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

// Bits that a set saves. An argument is a result of another body already, while another value would also have to be
// written, so `argumentCost` weighs it.
double Residuals::cost(const llvm::SetVector<Value> &values) const {
  double total = 0;
  for (Value value : values) {
    auto type = cast<RankedTensorType>(value.getType());
    // Before the precision is chosen, all reals count as f32.
    double width = ein::lacksPrecision(type) ? 32 : type.getElementTypeBitWidth();
    total += double(type.getNumElements()) * width * (isa<BlockArgument>(value) ? argumentCost : 1.0);
  }
  return total;
}

// Arguments first, then results in program order. Sets have no order of their own, so every choice goes by this one.
void algebra::sortByPosition(SmallVectorImpl<Value> &values) {
  llvm::sort(values, [](Value a, Value b) {
    auto first = dyn_cast<BlockArgument>(a), second = dyn_cast<BlockArgument>(b);
    if (first && second)
      return first.getArgNumber() < second.getArgNumber();
    if (first || second)
      return bool(first);
    if (a.getDefiningOp() != b.getDefiningOp())
      return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp());
    return cast<OpResult>(a).getResultNumber() < cast<OpResult>(b).getResultNumber();
  });
}

bool Residuals::canMake(Value value, const llvm::SetVector<Value> &saved) const {
  // Constants and indices, and what the backward body gets anyway, need not be saved.
  if (ein::isFree(value) || isGiven(value) || saved.contains(value))
    return true;
  return isCheap(value.getDefiningOp()) &&
         llvm::all_of(value.getDefiningOp()->getOperands(), [&](Value v) { return canMake(v, saved); });
}

// Drops values that the rest can make. The last come first, since they are made of earlier ones.
llvm::SetVector<Value> Residuals::pruned(llvm::SetVector<Value> saved) const {
  SmallVector<Value> values(saved.begin(), saved.end());
  sortByPosition(values);
  for (Value value : llvm::reverse(values)) {
    saved.remove(value);
    if (!canMake(value, saved))
      saved.insert(value);
  }
  return saved;
}

// The value to save in place of a view: the one whose memory it shows.
Value Residuals::shownBy(Value value) const { return maySave(ein::viewed(value)) ? ein::viewed(value) : value; }

// Saves the operands of a value in its place. False if that is impossible or the value is not cheap.
bool Residuals::replace(llvm::SetVector<Value> &saved, Value value) const {
  if (!isCheap(value.getDefiningOp()))
    return false;
  saved.remove(value);
  for (Value operand : value.getDefiningOp()->getOperands()) {
    // The other saved values make it, so it need not be saved.
    if (canMake(operand, saved))
      continue;
    if (!maySave(operand))
      return false;
    saved.insert(shownBy(operand));
  }
  return true;
}

// Saves the operands of comparisons in their place, where they can be saved: the comparison is then recomputed.
void Residuals::saveNoComparison(llvm::SetVector<Value> &saved) const {
  auto comparison = [](Value value) { return elementOf(value).isInteger(1) && isCheap(value.getDefiningOp()); };
  for (auto it = llvm::find_if(saved, comparison); it != saved.end(); it = llvm::find_if(saved, comparison))
    if (!replace(saved, *it))
      return;
}

// The draw that cheap equations make a value from, together with constants and indices alone.
static ein::MapOp drawOf(Value value) {
  while (isCheap(value.getDefiningOp())) {
    auto map = value.getDefiningOp<ein::MapOp>();
    if (map && map.getFunction() == ein::Function::random)
      return map;
    auto isKnown = [](Value operand) { return ein::isFree(operand); };
    Operation *op = value.getDefiningOp();
    // A second unknown operand would have to be saved beside the key.
    if (llvm::count_if(op->getOperands(), isKnown) + 1 != op->getNumOperands())
      return {};
    value = *llvm::find_if_not(op->getOperands(), isKnown);
  }
  return {};
}

// Saves keys in the place of values drawn with them: one number for each sample.
void Residuals::saveNoDraw(llvm::SetVector<Value> &saved) const {
  SmallVector<Value> values(saved.begin(), saved.end());
  for (Value value : values) {
    ein::MapOp draw = drawOf(value);
    if (!draw || !llvm::all_of(draw.getInputs(), [&](Value v) { return canMake(v, saved) || maySave(v); }))
      continue;
    saved.remove(value);
    for (Value operand : draw.getInputs())
      if (!canMake(operand, saved))
        saved.insert(shownBy(operand));
  }
}

// Starts from what the backward body reads; every step keeps all of `needed` possible to make.
llvm::SetVector<Value> Residuals::choose(const llvm::SetVector<Value> &needed) const {
  llvm::SetVector<Value> saved;
  for (Value value : needed) {
    // In place of a view, the value behind it: other readers may save that, too.
    if (Value shown = shownBy(value); !ein::isFree(shown) && !isGiven(shown))
      saved.insert(shown);
  }
  saveNoComparison(saved);
  saveNoDraw(saved);
  saved = pruned(saved);
  // Local search: the first replacement that saves bytes is taken, and the search begins anew.
  for (bool improved = true; improved;) {
    improved = false;
    SmallVector<Value> candidates(saved.begin(), saved.end());
    sortByPosition(candidates);
    for (Value value : candidates) {
      llvm::SetVector<Value> other(saved);
      if (!replace(other, value))
        continue;
      // The operands may be comparisons.
      saveNoComparison(other);
      other = pruned(other);
      LDBG() << "operands of " << value << " in its place: " << cost(other) << " instead of " << cost(saved) << " bits";
      // Only a strict gain, so that the search ends.
      if (cost(other) >= cost(saved))
        continue;
      saved = other;
      improved = true;
      break;
    }
  }
  return saved;
}
