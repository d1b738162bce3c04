//===- MatmulNest.cpp - a contraction as strided loops ---------------------===//
#include "plc/Analysis/MatmulNest.h"

#include "plc/Analysis/IterationSpace.h"
#include "plc/Analysis/Layout.h"
#include "plc/Dialect/Ein/Views.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace plc::ein;

namespace {

// The step of each dimension, and where the first element lies.
std::pair<SmallVector<int64_t>, int64_t> steps(AffineMap map, Value tensor, unsigned dims) {
  SmallVector<int64_t> result(dims, 0);
  Layout layout = layoutOf(tensor);
  for (auto [axis, stride] : llvm::enumerate(layout.strides))
    result[dimOf(map, axis)] += stride;
  return {result, layout.offset};
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
  Contraction result;
  result.a = op.getInputs()[0], result.b = op.getInputs()[1], result.c = op.getResult();
  result.sum = op.getSumType();
  result.accumulates = bool(op.getAccumulator());
  Iteration it = iterationOf(op);
  unsigned dims = it.extents.size();
  auto [a, firstOfA] = steps(it.inputs[0], result.a, dims);
  auto [b, firstOfB] = steps(it.inputs[1], result.b, dims);
  SmallVector<int64_t> c = steps(it.result, result.c, dims).first;
  result.firstOfA = firstOfA, result.firstOfB = firstOfB;
  auto loopOf = [&, &a = a, &b = b](unsigned dim) { return LoopDim{it.extents[dim], a[dim], b[dim], c[dim]}; };
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

static int64_t extentOf(ArrayRef<LoopDim> loops) {
  int64_t extent = 1;
  for (const LoopDim &loop : loops)
    extent *= loop.extent;
  return extent;
}

int64_t MatmulNest::units() const { return extentOf(outer); }
int64_t MatmulNest::slowSteps() const { return extentOf(slow); }

// Removes the loop along which c is contiguous, else the longest.
static LoopDim take(SmallVector<LoopDim> &loops) {
  auto best = llvm::max_element(loops, [](const LoopDim &p, const LoopDim &q) {
    return std::pair(p.c == 1, p.extent) < std::pair(q.c == 1, q.extent);
  });
  LoopDim loop = *best;
  loops.erase(best);
  return loop;
}

// Exchanges the two operands.
static void turn(Contraction &x) {
  auto turnLoop = [](LoopDim &loop) { std::swap(loop.a, loop.b); };
  for (auto *loops : {&x.batch, &x.m, &x.n, &x.k})
    llvm::for_each(*loops, turnLoop);
  std::swap(x.m, x.n);
  std::swap(x.a, x.b);
  std::swap(x.firstOfA, x.firstOfB);
}

// Offsets in what is read by them are kept in 32 bits.
static bool hasSmallOffsets(Value operand) {
  return cast<RankedTensorType>(viewed(operand).getType()).getNumElements() <= INT32_MAX;
}

// Gives n the loops of the same operand that go on in c where it ends, if it leaves registers of a tile empty.
static void widen(MatmulNest &product, SmallVector<LoopDim> &others) {
  constexpr int64_t full = 64; // lanes of the widest tile
  SmallVector<LoopDim> columns{product.n};
  while (product.n.c == 1 && product.n.extent % full) {
    auto next = llvm::find_if(others, [&](const LoopDim &loop) { return loop.c == extentOf(columns); });
    if (next == others.end())
      break;
    columns.insert(columns.begin(), *next);
    others.erase(next);
    product.n.extent = extentOf(columns);
  }
  if (columns.size() > 1)
    product.columns = columns;
}

// The sums of k, slowest loop first; false if an operand has nothing of one.
static bool takeSums(MatmulNest &product, SmallVector<LoopDim> loops) {
  auto lacksOne = [](const LoopDim &loop) { return loop.a == 0 || loop.b == 0; };
  product.k = loops.back();
  if (loops.size() > 1 && product.k.extent % sumBlock != 0) {
    product.k.extent = extentOf(loops);
    product.depth = std::move(loops);
    return llvm::none_of(product.depth, lacksOne);
  }
  loops.pop_back();
  product.slow = std::move(loops);
  return !lacksOne(product.k);
}

std::optional<MatmulNest> plc::ein::asProduct(Contraction x) {
  if (x.k.empty() || x.m.empty() || x.n.empty())
    return std::nullopt;
  // Blocks are added to c in memory, which must hold a sum without rounding it.
  if (x.sum != getElementTypeOrSelf(x.c.getType()))
    return std::nullopt;
  auto isContiguous = [](const LoopDim &loop) { return loop.c == 1; };
  if (llvm::any_of(x.m, isContiguous))
    turn(x);
  MatmulNest product;
  product.a = x.a, product.b = x.b, product.c = x.c;
  product.firstOfA = x.firstOfA, product.firstOfB = x.firstOfB;
  product.accumulates = x.accumulates;
  product.m = take(x.m);
  product.n = take(x.n);
  if (!takeSums(product, x.k))
    return std::nullopt;
  if (hasSmallOffsets(x.b))
    widen(product, x.n);
  if (!product.depth.empty() && (!hasSmallOffsets(x.a) || !hasSmallOffsets(x.b)))
    return std::nullopt;
  for (auto *loops : {&x.batch, &x.m, &x.n})
    llvm::append_range(product.outer, *loops);
  return product;
}
