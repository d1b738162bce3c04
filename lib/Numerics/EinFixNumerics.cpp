//===- EinFixNumerics.cpp - write the order of every sum -------------------===//
#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Analysis/IterationSpace.h"
#include "plc/Analysis/ScatteredProducts.h"
#include "plc/Dialect/Ein/Ein.h"
#include "plc/Numerics/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallBitVector.h"

namespace plc::numerics {
#define GEN_PASS_DEF_EINFIXNUMERICS
#include "lib/Numerics/Passes.h.inc"
} // namespace plc::numerics

using namespace mlir;
using namespace plc;

namespace {

// The table's own type of a sum is not written: programs that mean the same have one text and so one key.
template <typename Op>
void fixSumType(Op op) {
  if (op.getSum() == ein::sumTypeOf(op.getType().getElementType()))
    op.removeSumAttr();
}

LogicalResult fixContract(ein::ContractOp op) {
  ein::Equation equation = op;
  if (op.getInputs().size() != 2)
    return op.emitError("contraction has ")
           << op.getInputs().size()
           << " factors but its order is defined for two: run '--ein-order-contractions' first";
  auto first = ein::dimsOf(equation.getInputMap(0)), second = ein::dimsOf(equation.getInputMap(1)),
       result = ein::dimsOf(equation.getResultMap());
  SmallVector<int64_t> order;
  for (int64_t dim : first)
    if (!llvm::is_contained(result, dim))
      order.push_back(dim);
  auto isOwn = [&](ArrayRef<int64_t> dims, ArrayRef<int64_t> others) {
    return llvm::any_of(
        dims, [&](int64_t dim) { return llvm::is_contained(result, dim) && !llvm::is_contained(others, dim); });
  };
  bool both = llvm::all_of(order, [&](int64_t dim) { return llvm::is_contained(second, dim); }) &&
              llvm::all_of(second, [&](int64_t dim) {
                return llvm::is_contained(result, dim) || llvm::is_contained(order, dim);
              });
  // A matrix that positions choose out of a table may meet a vector; where it was saved no gather shows it any more.
  if (order.empty() || !both || !(isOwn(first, second) || isOwn(second, first)))
    return op.emitError("contraction is no matrix product: run '--ein-simplify' first");
  op.setOrder(order);
  fixSumType(op);
  return success();
}

// One after the other, f32 numbers of one sign lose a ten-thousandth of their sum when there are some hundred thousand of
// them; so long a chain is taken in f64, whose sum is rounded once. Memory bounds it, not arithmetic.
constexpr int64_t longestChain = 4096;

void fixLongSum(ein::ReduceOp op) {
  int64_t additions = op.getInput().getType().getNumElements() / op.getType().getNumElements();
  if (*op.getOrder() == ein::Order::lanes)
    additions /= ein::sumLanes;
  if (op.getReduction() == ein::Reduction::sum && isa<FloatType>(op.getType().getElementType()) &&
      additions > longestChain)
    op.setSum(Float64Type::get(op.getContext()));
}

// Renumbers the domain so that it has the order of the input's axes, in which a sum runs.
LogicalResult fixReduce(ein::ReduceOp op) {
  ein::Equation equation = op;
  AffineMap input = equation.getInputMap(0), result = equation.getResultMap();
  if (!input.isPermutation())
    return op.emitError("reduction of a diagonal: run '--ein-simplify' first");
  SmallVector<AffineExpr> renumbered(input.getNumDims());
  SmallVector<int64_t> extents;
  for (auto [axis, dim] : llvm::enumerate(ein::dimsOf(input))) {
    renumbered[dim] = getAffineDimExpr(axis, op.getContext());
    extents.push_back(op.getExtents()[dim]);
  }
  unsigned rank = extents.size();
  input = input.replaceDimsAndSymbols(renumbered, {}, rank, 0);
  result = result.replaceDimsAndSymbols(renumbered, {}, rank, 0);
  op.setExtents(extents);
  equation.setMaps({input, result});
  bool innermost = rank > 0 && !llvm::is_contained(ein::dimsOf(result), rank - 1);
  op.setOrderAttr(ein::OrderAttr::get(op.getContext(), innermost ? ein::Order::lanes : ein::Order::chain));
  fixLongSum(op);
  fixSumType(op);
  return success();
}

// Products of two tensors of reals, each smaller than they, are not rounded before a scatter adds them.
void fixScatter(ein::ScatterAddOp op) {
  ein::MapOp product = ein::fusedUpdates(op);
  Type element = op.getType().getElementType();
  if (!product || product.getFunction() != ein::Function::mul || !isa<FloatType>(element) ||
      llvm::any_of(product.getInputs(), ein::isFree))
    return;
  // From the dimensions of the product to the scatter's, by the axes of the updates.
  ein::Equation read = product, equation = op;
  SmallVector<AffineExpr> renamed(read.getNumDims());
  for (auto [axis, dim] : llvm::enumerate(ein::dimsOf(read.getResultMap())))
    renamed[dim] = equation.getInputMap(0).getResult(axis);
  auto mapOf = [&](unsigned input) {
    return read.getInputMap(input).replaceDimsAndSymbols(renamed, {}, equation.getNumDims(), 0);
  };
  // (C3) of the fused one. What adds an element many times, as the gradient of a mean over windows does, has more dimensions.
  llvm::SmallBitVector covered(equation.getNumDims());
  for (unsigned input : {0u, 1u}) {
    auto dims = ein::dimsOf(mapOf(input));
    llvm::sort(dims);
    if (std::adjacent_find(dims.begin(), dims.end()) != dims.end())
      return;
    for (int64_t dim : dims)
      covered.set(dim);
  }
  if (!covered.all())
    return;
  SmallVector<AffineMap> maps{mapOf(0)};
  for (unsigned index = 1; index <= op.getIndices().size(); ++index)
    maps.push_back(equation.getInputMap(index));
  maps.append({mapOf(1), equation.getResultMap()});
  OpBuilder builder(op);
  auto fused = ein::ScatterAddOp::create(builder, op.getLoc(), op.getType(), product.getInputs()[0], op.getIndices(),
                                         product.getInputs()[1], op.getAccumulator(), op.getExtents(),
                                         builder.getAffineMapArrayAttr(maps));
  op.replaceAllUsesWith(fused.getResult());
  op.erase();
  product.erase();
}

LogicalResult fix(Operation *op) {
  for (Type type : op->getResultTypes())
    if (isa<ein::RealType>(cast<RankedTensorType>(type).getElementType()))
      return op->emitError("result is ") << type << " but precision must be chosen: run '--ein-precision' first";
  if (isa<ein::StopOp>(op))
    return op->emitError("'ein.stop' is left: run '--ein-differentiate' first");
  if (auto contract = dyn_cast<ein::ContractOp>(op))
    return fixContract(contract);
  if (auto reduce = dyn_cast<ein::ReduceOp>(op))
    return fixReduce(reduce);
  return success();
}

struct EinFixNumerics : numerics::impl::EinFixNumericsBase<EinFixNumerics> {
  void runOnOperation() override {
    ein::setPhase(getOperation(), PhaseKind::numerics);
    WalkResult walk = getOperation().walk([](Operation *op) {
      return isa_and_nonnull<ein::EinDialect>(op->getDialect()) && failed(fix(op)) ? WalkResult::interrupt()
                                                                                   : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    SmallVector<ein::ScatterAddOp> scatters;
    getOperation().walk([&](ein::ScatterAddOp scatter) { scatters.push_back(scatter); });
    llvm::for_each(scatters, fixScatter);
  }
};

} // namespace
