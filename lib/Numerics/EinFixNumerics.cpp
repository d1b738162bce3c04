//===- EinFixNumerics.cpp - writes the order of every sum -----------------===//
#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Analysis/GatheredFactors.h"
#include "plc/Analysis/IterationSpace.h"
#include "plc/Analysis/MatmulNest.h"
#include "plc/Analysis/ScatteredProducts.h"
#include "plc/Dialect/Ein/MicroBatches.h"
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

// The default type of a sum is not written: programs of equal meaning have one text, and so one key.
template <typename Op>
void fixSumType(Op op) {
  if (op.getSum() == ein::sumTypeOf(op.getType().getElementType()))
    op.removeSumAttr();
}

// The longest chain in f32; longer ones are taken in f64 and rounded once. A chain of 262,144 f32 numbers of one sign
// loses 1e-4 of its sum. Memory bounds such sums, not arithmetic, so f64 costs little.
constexpr int64_t longestChain = 4096;

// The batch dimension, if an equation sums over it into an accumulator. Such a sum must not depend on the cut: the
// batch is the slowest summed dimension, and no block crosses the end of a micro-batch.
std::optional<int64_t> accumulatedBatch(ein::Equation op) {
  std::optional<int64_t> batch = op.getAccumulator() ? ein::batchDimOf(op) : std::nullopt;
  return batch && !llvm::is_contained(ein::dimsOf(op.getResultMap()), *batch) ? batch : std::nullopt;
}

// The least number of samples that fills a block and divides the batch.
int64_t samplesOfBlock(int64_t batch, int64_t elementsOfSample, int64_t block) {
  int64_t samples = llvm::divideCeil(block, elementsOfSample);
  while (samples < batch && batch % samples)
    ++samples;
  return std::min(samples, batch);
}

// Orders a sum over the batch so that any cut gives its bits. Nothing is needed if blocks end with each sample. A short
// sum becomes one chain. A long one begins its blocks anew at fixed samples.
void fixBlocks(ein::ContractOp op, SmallVector<int64_t> &order, int64_t batch) {
  order.erase(llvm::find(order, batch));
  order.insert(order.begin(), batch);
  int64_t samples = op.getExtents()[batch], ofSample = 1;
  for (int64_t dim : ArrayRef(order).drop_front())
    ofSample *= op.getExtents()[dim];
  int64_t block = op.getPairs() ? ein::pairBlock : ein::sumBlock;
  if (ofSample % block == 0)
    return;
  if (samples * ofSample <= longestChain) {
    op.setPairs(false);
    op.setChain(true);
  } else {
    op.setAnew(samplesOfBlock(samples, ofSample, block));
  }
}

// Whether both factors have the same 16-bit type: then products are summed as TDPBF16PS sums them.
bool sumsPairs(ein::ContractOp op) {
  Type from = ein::widenedFrom(op.getInputs()[0]);
  return from && (from.isBF16() || from.isF16()) && from == ein::widenedFrom(op.getInputs()[1]) &&
         op.getSumType().isF32();
}

// The order is that of the first factor's axes, so it depends on the program alone.
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
  // A matrix chosen from a table may meet a vector. No gather shows that any more where the matrix was saved.
  if (order.empty() || !both || !(isOwn(first, second) || isOwn(second, first)))
    return op.emitError("contraction is no matrix product: run '--ein-simplify' first");
  op.setPairs(sumsPairs(op));
  if (std::optional<int64_t> batch = accumulatedBatch(op))
    fixBlocks(op, order, *batch);
  op.setOrder(order);
  fixSumType(op);
  return success();
}

// Takes long sums of reals in f64. `lanes` divides a sum by 16, so its chains are 16 times shorter.
void fixLongSum(ein::ReduceOp op) {
  int64_t additions = op.getInput().getType().getNumElements() / op.getType().getNumElements();
  if (*op.getOrder() == ein::Order::lanes)
    additions /= ein::sumLanes;
  if (op.getReduction() == ein::Reduction::sum && isa<FloatType>(op.getType().getElementType()) &&
      additions > longestChain)
    op.setSum(Float64Type::get(op.getContext()));
}

// Renumbers the dimensions of a domain, which is the order in which a sum visits them.
void renumber(ein::Equation op, ArrayRef<int64_t> order) {
  SmallVector<AffineExpr> renumbered(order.size());
  SmallVector<int64_t> extents;
  for (auto [number, dim] : llvm::enumerate(order)) {
    renumbered[dim] = getAffineDimExpr(number, op.getContext());
    extents.push_back(op.getExtents()[dim]);
  }
  auto rename = [&](AffineMap map) {
    SmallVector<AffineExpr> symbols;
    for (unsigned symbol = 0; symbol < map.getNumSymbols(); ++symbol)
      symbols.push_back(getAffineSymbolExpr(symbol, op.getContext()));
    return map.replaceDimsAndSymbols(renumbered, symbols, order.size(), map.getNumSymbols());
  };
  SmallVector<AffineMap> maps = llvm::map_to_vector(op.getMaps().getAsValueRange<AffineMapAttr>(), rename);
  op.setExtents(extents);
  op.setMaps(maps);
}

// The dimensions of a map's results, with `first` moved to the front.
SmallVector<int64_t> orderOf(AffineMap map, std::optional<int64_t> first) {
  SmallVector<int64_t> order(ein::dimsOf(map));
  if (first) {
    order.erase(llvm::find(order, *first));
    order.insert(order.begin(), *first);
  }
  return order;
}

void setOrder(ein::ReduceOp op, ein::Order order) { op.setOrderAttr(ein::OrderAttr::get(op.getContext(), order)); }

LogicalResult fixReduce(ein::ReduceOp op);

// Splits a sum in two: within each sample, then a chain over the samples. So `lanes` may be used within a sample,
// whatever the cut.
LogicalResult splitBatchSum(ein::ReduceOp op, int64_t batch) {
  ein::Equation equation = op;
  AffineMap result = equation.getResultMap();
  SmallVector<AffineExpr> withSamples(result.getResults());
  withSamples.insert(withSamples.begin(), getAffineDimExpr(batch, op.getContext()));
  SmallVector<int64_t> shape{op.getExtents()[batch]};
  llvm::append_range(shape, op.getType().getShape());
  OpBuilder builder(op);
  AffineMap ofSamples = AffineMap::get(result.getNumDims(), 0, withSamples, op.getContext());
  auto inner =
      ein::ReduceOp::create(builder, op.getLoc(), ein::tensorType(shape, op.getType().getElementType(), 0),
                            op.getReductionAttr(), op.getInput(), Value(), op.getExtentsAttr(),
                            builder.getAffineMapArrayAttr({equation.getInputMap(0), ofSamples}), nullptr, nullptr);
  unsigned rank = shape.size();
  AffineMap all = builder.getMultiDimIdentityMap(rank);
  op.getInputMutable().assign(inner.getResult());
  op.setExtents(shape);
  equation.setMaps({all, AffineMap::get(rank, 0, all.getResults().drop_front(), op.getContext())});
  setOrder(op, ein::Order::chain);
  fixLongSum(op);
  fixSumType(op);
  return fixReduce(inner);
}

// `lanes` where the innermost axis is reduced, because vectors read it; `chain` elsewhere.
LogicalResult fixReduce(ein::ReduceOp op) {
  ein::Equation equation = op;
  if (!equation.getInputMap(0).isPermutation())
    return op.emitError("reduction of a diagonal: run '--ein-simplify' first");
  std::optional<int64_t> batch = accumulatedBatch(op);
  SmallVector<int64_t> order = orderOf(equation.getInputMap(0), batch);
  bool innermost = !order.empty() && !llvm::is_contained(ein::dimsOf(equation.getResultMap()), order.back());
  int64_t additions = op.getInput().getType().getNumElements() / op.getType().getNumElements();
  if (batch && op.getReducedDims().size() > 1 && (innermost || additions > longestChain))
    return splitBatchSum(op, *batch);
  renumber(equation, order);
  setOrder(op, innermost && !batch ? ein::Order::lanes : ein::Order::chain);
  fixLongSum(op);
  fixSumType(op);
  return success();
}

// Moves a product of two smaller tensors into the scatter that adds it, as its factor: product and sum are then one
// fma.
void fixScatter(ein::ScatterAddOp op) {
  ein::MapOp product = ein::fusedUpdates(op);
  Type element = op.getType().getElementType();
  if (!product || op.getReduction() || product.getFunction() != ein::Function::mul || !isa<FloatType>(element) ||
      llvm::any_of(product.getInputs(), ein::isFree))
    return;
  // Renames the product's dimensions to the scatter's, by the axes of the updates.
  ein::Equation read = product, equation = op;
  SmallVector<AffineExpr> renamed(read.getNumDims());
  for (auto [axis, dim] : llvm::enumerate(ein::dimsOf(read.getResultMap())))
    renamed[dim] = equation.getInputMap(0).getResult(axis);
  auto mapOf = [&](unsigned input) {
    return read.getInputMap(input).replaceDimsAndSymbols(renamed, {}, equation.getNumDims(), 0);
  };
  // (C3) of the fused scatter. A scatter that adds an element many times, as the gradient of a mean over windows, has
  // more dimensions.
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
                                         builder.getAffineMapArrayAttr(maps), nullptr);
  op.replaceAllUsesWith(fused.getResult());
  op.erase();
  product.erase();
}

// Rejects what earlier passes should have rewritten.
LogicalResult fix(Operation *op) {
  for (Type type : op->getResultTypes())
    if (isa<ein::RealType>(cast<RankedTensorType>(type).getElementType()))
      return op->emitError("result is ") << type << " but precision must be chosen: run '--ein-precision' first";
  if (isa<ein::StopOp, ein::NextOp>(op))
    return op->emitError("'") << op->getName() << "' is left: run '--ein-differentiate' first";
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
    // Fusing erases operations, so scatters are collected first.
    SmallVector<ein::ScatterAddOp> scatters;
    getOperation().walk([&](ein::ScatterAddOp scatter) { scatters.push_back(scatter); });
    llvm::for_each(scatters, fixScatter);
    getOperation().walk([](ein::ScatterAddOp scatter) {
      if (std::optional<int64_t> batch = accumulatedBatch(scatter))
        renumber(scatter,
                 orderOf(AffineMap::getMultiDimIdentityMap(scatter.getExtents().size(), scatter.getContext()), batch));
    });
  }
};

} // namespace
