//===- ScatteredProducts.cpp - scatters of outer products -----------------===//
#include "plc/Analysis/ScatteredProducts.h"

#include "plc/Analysis/IterationSpace.h"
#include "plc/Analysis/Layout.h"
#include "plc/Support/ElementType.h"

using namespace mlir;
using namespace plc;
using namespace plc::ein;

MapOp plc::ein::fusedUpdates(ScatterAddOp scatter) {
  auto map = scatter.getUpdates().getDefiningOp<MapOp>();
  if (!map || scatter.getFactor() || !map->hasOneUse() || isFree(map) ||
      (map.getFunction() != Function::mul && map.getFunction() != Function::id))
    return {};
  // Free tensors other than constants would need memory. A tensor over the whole domain saves nothing: reading the
  // updates is as much.
  Equation equation = map;
  for (auto [index, input] : llvm::enumerate(map.getInputs()))
    if ((isFree(input) && !input.getDefiningOp<ConstantOp>()) ||
        llvm::SmallDenseSet<int64_t>(llvm::from_range, dimsOf(equation.getInputMap(index))).size() ==
            map.getExtents().size())
      return {};
  return map;
}

SmallVector<ScatteredFactor, 2> plc::ein::factorsOf(ScatterAddOp scatter) {
  Iteration it = iterationOf(scatter);
  auto factor = [&](Value value, AffineMap map) {
    ScatteredFactor factor{value, SmallVector<int64_t>(it.extents.size(), 0), 0};
    if (value.getDefiningOp<ConstantOp>())
      return factor;
    Layout layout = layoutOf(value);
    factor.first = layout.offset;
    for (auto [axis, stride] : llvm::enumerate(layout.strides))
      factor.strides[dimOf(map, axis)] += stride;
    return factor;
  };
  if (scatter.getFactor())
    return {factor(scatter.getUpdates(), it.inputs.front()), factor(scatter.getFactor(), it.inputs.back())};
  MapOp map = fusedUpdates(scatter);
  if (!map)
    return {factor(scatter.getUpdates(), it.inputs.front())};
  // Renames the map's dimensions to the scatter's, by the axes of the updates.
  Iteration made = iterationOf(map);
  SmallVector<AffineExpr> renamed(made.extents.size());
  for (unsigned axis = 0; axis < made.result.getNumResults(); ++axis)
    renamed[dimOf(made.result, axis)] = it.inputs.front().getResult(axis);
  SmallVector<ScatteredFactor, 2> factors;
  for (auto [value, read] : llvm::zip(map.getInputs(), made.inputs))
    factors.push_back(factor(value, read.replaceDimsAndSymbols(renamed, {}, it.extents.size(), 0)));
  return factors;
}

int64_t ScatteredProducts::rowCount() const { return extentOf(rows); }

// Removes and returns the loop along which c is contiguous, else the longest.
static LoopDim takeLongest(SmallVector<LoopDim> &loops) {
  auto best = llvm::max_element(loops, [](const LoopDim &p, const LoopDim &q) {
    return std::pair(p.c == 1, p.extent) < std::pair(q.c == 1, q.extent);
  });
  LoopDim loop = *best;
  loops.erase(best);
  return loop;
}

std::optional<ScatteredProducts> plc::ein::asScatteredProducts(ScatterAddOp scatter) {
  SmallVector<ScatteredFactor, 2> factors = factorsOf(scatter);
  auto isConstant = [](const ScatteredFactor &factor) { return factor.value.getDefiningOp<ConstantOp>(); };
  if (scatter.getReduction() || factors.size() != 2 || llvm::any_of(factors, isConstant) ||
      scatter.getIndices().size() != 1 || !isReal(elementTypeOf(scatter.getType())))
    return std::nullopt;
  Iteration it = iterationOf(scatter);
  ScatteredProducts x;
  x.fused = bool(scatter.getFactor());
  x.part.positions = scatter.getIndices().front();
  SmallVector<int64_t> c(it.extents.size(), 0), positions(it.extents.size(), 0);
  for (auto [axis, stride] : llvm::enumerate(stridesOf(scatter.getType())))
    if (int dim = dimOf(it.result, axis); dim >= 0) {
      c[dim] += stride;
    } else if (x.part.extent) { // the same position twice
      return std::nullopt;
    } else {
      x.part.stride = stride;
      x.part.extent = scatter.getType().getDimSize(axis);
    }
  Layout layout = layoutOf(x.part.positions);
  x.part.firstPosition = layout.offset;
  for (auto [axis, stride] : llvm::enumerate(layout.strides))
    positions[dimOf(it.inputs[1], axis)] += stride;
  SmallVector<LoopDim> m, n;
  for (unsigned dim = 0; dim < it.extents.size(); ++dim) {
    LoopDim loop{it.extents[dim], factors[0].strides[dim], factors[1].strides[dim], c[dim], positions[dim]};
    // Elements of c must differ only where a factor does, and one position serves a whole matrix.
    if (loop.c && (loop.positions || (!loop.a && !loop.b)))
      return std::nullopt;
    (!loop.c ? x.rows : loop.a && loop.b ? x.outer : loop.a ? m : n).push_back(loop);
  }
  if (m.empty() || n.empty() || x.part.extent > mostParts || x.rowCount() > mostGroupedRows)
    return std::nullopt;
  bool iterations = llvm::any_of(m, [](const LoopDim &loop) { return loop.c == 1; });
  if (iterations) {
    std::swap(m, n);
    std::swap(factors[0], factors[1]);
    for (auto *loops : {&x.outer, &x.rows, &m, &n})
      for (LoopDim &loop : *loops)
        std::swap(loop.a, loop.b);
  }
  x.m = takeLongest(m), x.n = takeLongest(n);
  // Fewer than 8 columns fill no AVX2 register of f32. Not tuned.
  if (x.n.c != 1 || x.n.extent < 8)
    return std::nullopt;
  llvm::append_range(x.outer, m);
  llvm::append_range(x.outer, n);
  x.a = factors[0].value, x.b = factors[1].value;
  x.firstOfA = factors[0].first, x.firstOfB = factors[1].first;
  return x;
}
