//===- GatheredFactors.cpp - factors read through gathers -----------------===//
#include "plc/Analysis/GatheredFactors.h"

#include "plc/Analysis/IterationSpace.h"
#include "plc/Dialect/Ein/Views.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace plc::ein;

// The axes that only the table of a gather has, as dimensions of a product that indexes the gather's result by `dims`.
// Nullopt if no kernel reads the gather in place: it has several positions, computed positions or a computed table, or
// reads a diagonal.
static std::optional<SmallVector<int64_t>> ownAxes(GatherOp gather, ArrayRef<int64_t> dims) {
  if (gather.getIndices().size() != 1 || isFree(gather.getIndices().front()) || isFree(gather.getTable()))
    return std::nullopt;
  Iteration it = iterationOf(gather);
  AffineMap table = it.inputs[0], positions = it.inputs[1];
  SmallVector<int64_t> productDim(it.extents.size(), -1), own;
  for (unsigned axis = 0; axis < it.result.getNumResults(); ++axis)
    productDim[dimOf(it.result, axis)] = dims[axis];
  llvm::SmallDenseSet<int> seen; // -1 is the position
  for (unsigned axis = 0; axis < table.getNumResults(); ++axis) {
    int dim = dimOf(table, axis);
    if (!seen.insert(dim).second)
      return std::nullopt;
    if (dim >= 0 && !positions.isFunctionOfDim(dim))
      own.push_back(productDim[dim]);
  }
  return own;
}

Value plc::ein::heldAs(Value factor) {
  auto cast = factor.getDefiningOp<CastOp>();
  return cast && isNarrow(cast.getInput().getType()) && !isFree(viewed(cast.getInput())) ? cast.getInput() : factor;
}

Type plc::ein::widenedFrom(Value factor) {
  auto cast = viewed(factor).getDefiningOp<CastOp>();
  return cast && isNarrow(cast.getInput().getType()) ? getElementTypeOrSelf(cast.getInput().getType()) : Type();
}

// Whether a rounding is done where its operand is read. Only arguments: other values are rounded in the kernel that
// makes them.
static bool isRoundedInPlace(CastOp cast) {
  if (!cast || !isa<FloatType>(cast.getType().getElementType()) || !isNarrow(cast.getType()) ||
      isNarrow(cast.getInput().getType()) || !isa<BlockArgument>(viewed(cast.getInput())) || !cast->hasOneUse())
    return false;
  Operation *reader = *cast->user_begin(); // of a table a gather
  if (auto gather = dyn_cast<GatherOp>(reader))
    return gather.getTable() == cast && isReadInPlace(gather);
  auto widen = dyn_cast<CastOp>(reader);
  return widen && heldAs(widen) == cast && isReadInPlace(widen);
}

Value plc::ein::readAs(Value held) {
  auto cast = held.getDefiningOp<CastOp>();
  return isRoundedInPlace(cast) ? cast.getInput() : held;
}

static GatherOp gatherOf(Value factor) { return heldAs(factor).getDefiningOp<GatherOp>(); }

// Each dimension must be summed with, or kept by, the other side: else the product would need a reduction of its own.
bool plc::ein::takesMatrices(Value factor, ArrayRef<int64_t> dims, ArrayRef<int64_t> other, ArrayRef<int64_t> result) {
  GatherOp gather = factor ? gatherOf(factor) : GatherOp();
  auto own = gather ? ownAxes(gather, dims) : std::nullopt;
  if (!own)
    return false;
  auto in = [](ArrayRef<int64_t> list) { return [list](int64_t dim) { return llvm::is_contained(list, dim); }; };
  auto unique = [](ArrayRef<int64_t> list) {
    return llvm::SmallDenseSet<int64_t>(list.begin(), list.end()).size() == list.size();
  };
  auto isKnown = [&](ArrayRef<int64_t> beside) {
    return [beside, result](int64_t dim) { return llvm::is_contained(beside, dim) || llvm::is_contained(result, dim); };
  };
  return unique(dims) && unique(other) && llvm::all_of(dims, isKnown(other)) && llvm::all_of(other, isKnown(dims)) &&
         llvm::any_of(*own, [&](int64_t dim) { return in(result)(dim) && !in(other)(dim); }) &&
         llvm::any_of(*own, [&](int64_t dim) { return !in(result)(dim) && in(other)(dim); });
}

SmallVector<int64_t> plc::ein::countPositions(Value factor, ArrayRef<int64_t> dims) {
  Iteration it = iterationOf(gatherOf(factor));
  SmallVector<int64_t> counting;
  for (unsigned axis = 0; axis < it.result.getNumResults(); ++axis)
    if (it.inputs[1].isFunctionOfDim(dimOf(it.result, axis)))
      counting.push_back(dims[axis]);
  return counting;
}

GatherOp plc::ein::readInPlace(ContractOp op, unsigned operand) {
  if (op.getInputs().size() != 2 || (operand == 1 && readInPlace(op, 0)))
    return {};
  Equation equation = op;
  auto dims = [&](unsigned input) { return dimsOf(equation.getInputMap(input)); };
  Value factor = op.getInputs()[operand];
  if (!takesMatrices(factor, dims(operand), dims(1 - operand), dimsOf(equation.getResultMap())))
    return {};
  return gatherOf(factor);
}

bool plc::ein::isReadInPlace(Operation *op) {
  if (!isa_and_nonnull<GatherOp, CastOp>(op) || !op->hasOneUse())
    return false;
  if (auto cast = dyn_cast<CastOp>(op); cast && isRoundedInPlace(cast))
    return true;
  OpOperand *use = &*op->use_begin();
  if (Operation *cast = use->getOwner(); isa<GatherOp>(op) && isa<CastOp>(cast) && cast->hasOneUse())
    use = &*cast->use_begin();
  auto contract = dyn_cast<ContractOp>(use->getOwner());
  unsigned operand = use->getOperandNumber();
  if (!contract || contract.getInputs().size() != 2 || operand >= 2)
    return false;
  return isa<CastOp>(op) ? heldAs(op->getResult(0)) != op->getResult(0) : readInPlace(contract, operand) == op;
}
