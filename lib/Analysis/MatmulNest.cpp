//===- MatmulNest.cpp - a contraction as strided loops ---------------------===//
#include "plc/Analysis/MatmulNest.h"

#include "plc/Analysis/IterationSpace.h"
#include "plc/Analysis/Layout.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace plc::ein;

namespace {

SmallVector<int64_t> steps(AffineMap map, Type tensor, unsigned dims) {
  SmallVector<int64_t> result(dims, 0);
  for (auto [axis, stride] : llvm::enumerate(stridesOf(tensor)))
    result[dimOf(map, axis)] += stride;
  return result;
}

void append(SmallVector<LoopDim> &loops, LoopDim loop) {
  if (loop.extent == 1)
    return;
  if (!loops.empty()) {
    LoopDim &last = loops.back();
    if (last.a == loop.a * loop.extent && last.b == loop.b * loop.extent && last.c == loop.c * loop.extent) {
      loop.extent *= last.extent;
      last = loop;
      return;
    }
  }
  loops.push_back(loop);
}

} // namespace

Contraction plc::ein::analyse(ContractOp op) {
  Contraction result{
      {}, {}, {}, {}, op.getInputs()[0], op.getInputs()[1], op.getResult(), op.getSumType(), bool(op.getAccumulator())};
  Iteration it = iterationOf(op);
  unsigned dims = it.extents.size();
  auto a = steps(it.inputs[0], result.a.getType(), dims), b = steps(it.inputs[1], result.b.getType(), dims),
       c = steps(it.result, result.c.getType(), dims);
  auto loopOf = [&](unsigned dim) { return LoopDim{it.extents[dim], a[dim], b[dim], c[dim]}; };
  // Kept dimensions in the order of the result's axes.
  for (unsigned axis = 0; axis < it.result.getNumResults(); ++axis) {
    unsigned dim = dimOf(it.result, axis);
    append(a[dim] && b[dim] ? result.batch : a[dim] ? result.m : result.n, loopOf(dim));
  }
  ArrayRef<int64_t> order = op.getOrder().value_or(ArrayRef<int64_t>());
  for (int64_t dim : order)
    append(result.k, loopOf(dim));
  return result;
}

int64_t MatmulNest::units() const {
  int64_t count = 1;
  for (const LoopDim &loop : outer)
    count *= loop.extent;
  return count;
}

int64_t MatmulNest::slowSteps() const {
  int64_t count = 1;
  for (const LoopDim &loop : slow)
    count *= loop.extent;
  return count;
}

// Removes the loop along which c is contiguous, else the longest.
static LoopDim take(SmallVector<LoopDim> &loops) {
  auto best = llvm::max_element(loops, [](const LoopDim &p, const LoopDim &q) {
    return std::pair(p.c == 1, p.extent) < std::pair(q.c == 1, q.extent);
  });
  LoopDim loop = *best;
  loops.erase(best);
  return loop;
}

std::optional<MatmulNest> plc::ein::asProduct(Contraction x) {
  if (x.k.empty() || x.m.empty() || x.n.empty())
    return std::nullopt;
  // Blocks are added to c in memory, which must hold a sum without rounding it.
  if (x.sum != getElementTypeOrSelf(x.c.getType()))
    return std::nullopt;
  MatmulNest product{take(x.m), take(x.n), x.k.pop_back_val(), {}, x.k, x.a, x.b, x.c, x.accumulates};
  if (!product.slow.empty() && product.k.extent % sumBlock != 0)
    return std::nullopt;
  if (product.k.a == 0 || product.k.b == 0)
    return std::nullopt;
  for (auto *loops : {&x.batch, &x.m, &x.n})
    llvm::append_range(product.outer, *loops);
  if (product.m.c != 1 || product.n.c == 1)
    return product;
  std::swap(product.m, product.n);
  std::swap(product.a, product.b);
  auto turn = [](LoopDim &loop) { std::swap(loop.a, loop.b); };
  for (LoopDim *loop : {&product.m, &product.n, &product.k})
    turn(*loop);
  llvm::for_each(product.outer, turn);
  llvm::for_each(product.slow, turn);
  return product;
}
