//===- MatmulNest.cpp - a contraction as strided loops --------------------===//
#include "plc/Analysis/MatmulNest.h"

#include "plc/Analysis/GatheredFactors.h"
#include "plc/Analysis/IterationSpace.h"
#include "plc/Analysis/Layout.h"
#include "plc/Dialect/Ein/Views.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace plc::ein;

namespace {

// The stride of each dimension, and the offset of the first element.
std::pair<SmallVector<int64_t>, int64_t> steps(AffineMap map, Value tensor, unsigned dims) {
  SmallVector<int64_t> result(dims, 0);
  Layout layout = layoutOf(tensor);
  for (auto [axis, stride] : llvm::enumerate(layout.strides))
    result[dimOf(map, axis)] += stride;
  return {result, layout.offset};
}

// Appends a loop. Extents of 1 are dropped, and a loop that continues the previous one in all tensors is merged with
// it.
void append(SmallVector<LoopDim> &loops, LoopDim loop) {
  if (loop.extent == 1)
    return;
  if (!loops.empty()) {
    LoopDim &last = loops.back();
    if (last.a == loop.a * loop.extent && last.b == loop.b * loop.extent && last.c == loop.c * loop.extent &&
        last.positions == loop.positions * loop.extent) {
      loop.extent *= last.extent;
      last = loop;
      return;
    }
  }
  loops.push_back(loop);
}

} // namespace

// A factor's strides by dimension: in the tensor that is read, or in the table of a gather and in its positions.
namespace {
struct FactorSteps {
  Value memory;
  SmallVector<int64_t> strides, positions;
  int64_t first = 0;
  std::optional<TablePart> part;
};
} // namespace

static FactorSteps stepsOf(ContractOp op, unsigned operand, const Iteration &it) {
  unsigned dims = it.extents.size();
  GatherOp gather = readInPlace(op, operand);
  FactorSteps result{heldAs(op.getInputs()[operand]), {}, SmallVector<int64_t>(dims, 0), 0, std::nullopt};
  if (!gather) {
    std::tie(result.strides, result.first) = steps(it.inputs[operand], readAs(result.memory), dims);
    return result;
  }
  // Renames the gather's dimensions to the contraction's.
  Iteration read = iterationOf(gather);
  SmallVector<int64_t> outer(read.extents.size(), 0);
  for (unsigned axis = 0; axis < read.result.getNumResults(); ++axis)
    outer[dimOf(read.result, axis)] = dimOf(it.inputs[operand], axis);
  auto countIn = [&](AffineMap map, Value tensor, SmallVector<int64_t> &strides, int64_t *ofSymbol) {
    Layout layout = layoutOf(tensor);
    for (auto [axis, stride] : llvm::enumerate(layout.strides))
      if (int dim = dimOf(map, axis); dim >= 0)
        strides[outer[dim]] += stride;
      else
        *ofSymbol = stride;
    return layout.offset;
  };
  result.memory = gather.getTable();
  result.strides.assign(dims, 0);
  TablePart part{gather, gather.getIndices().front(), 0, 0, 0};
  result.first = countIn(read.inputs[0], readAs(gather.getTable()), result.strides, &part.stride);
  part.firstPosition = countIn(read.inputs[1], part.positions, result.positions, nullptr);
  for (auto [axis, expr] : llvm::enumerate(read.inputs[0].getResults()))
    if (isa<AffineSymbolExpr>(expr))
      part.extent = cast<RankedTensorType>(gather.getTable().getType()).getDimSize(axis);
  result.part = part;
  return result;
}

Contraction plc::ein::analyse(ContractOp op) {
  Contraction result;
  Iteration it = iterationOf(op);
  FactorSteps a = stepsOf(op, 0, it), b = stepsOf(op, 1, it);
  // A table is always b.
  if (a.part)
    std::swap(a, b);
  result.a = a.memory, result.b = b.memory, result.c = op.getResult();
  result.firstOfA = a.first, result.firstOfB = b.first;
  result.part = b.part;
  result.sum = op.getSumType();
  result.accumulates = bool(op.getAccumulator());
  SmallVector<int64_t> c = steps(it.result, result.c, it.extents.size()).first;
  auto loopOf = [&](unsigned dim) {
    return LoopDim{it.extents[dim], a.strides[dim], b.strides[dim], c[dim], b.positions[dim]};
  };
  // Kept dimensions in the order of the result's axes: those of both factors are batch, those of one are m or n.
  for (unsigned axis = 0; axis < it.result.getNumResults(); ++axis) {
    LoopDim loop = loopOf(dimOf(it.result, axis));
    bool ofB = loop.b || loop.positions;
    append(loop.a && ofB ? result.batch : loop.a ? result.m : result.n, loop);
  }
  result.chains = op.getChain();
  result.pairs = op.getPairs();
  ArrayRef<int64_t> order = op.getOrder().value_or(ArrayRef<int64_t>());
  for (int64_t dim : order) {
    LoopDim loop = loopOf(dim);
    // The first summed loop is split where the order says that blocks begin anew.
    if (std::optional<int64_t> anew = op.getAnew(); anew && dim == order.front()) {
      int64_t run = *anew;
      result.anew.push_back({loop.extent / run, loop.a * run, loop.b * run, loop.c * run, loop.positions * run});
      loop.extent = run;
      if (run == 1 && order.size() > 1)
        continue;
    }
    append(result.k, loop);
  }
  return result;
}

int64_t plc::ein::extentOf(ArrayRef<LoopDim> loops) {
  int64_t extent = 1;
  for (const LoopDim &loop : loops)
    extent *= loop.extent;
  return extent;
}

int64_t MatmulNest::units() const { return extentOf(outer); }
int64_t MatmulNest::slowSteps() const { return extentOf(slow); }

// Removes and returns the loop along which c is contiguous, else the longest: it makes the fullest tiles.
static LoopDim take(SmallVector<LoopDim> &loops) {
  auto best = llvm::max_element(loops, [](const LoopDim &p, const LoopDim &q) {
    return std::pair(p.c == 1, p.extent) < std::pair(q.c == 1, q.extent);
  });
  LoopDim loop = *best;
  loops.erase(best);
  return loop;
}

// Exchanges the two factors. A product of two numbers commutes in bits, so no sum changes.
static void iteration(Contraction &x) {
  auto iterationLoop = [](LoopDim &loop) { std::swap(loop.a, loop.b); };
  for (auto *loops : {&x.batch, &x.m, &x.n, &x.k, &x.anew})
    llvm::for_each(*loops, iterationLoop);
  std::swap(x.m, x.n);
  std::swap(x.a, x.b);
  std::swap(x.firstOfA, x.firstOfB);
}

// Whether offsets fit the 32 bits of LoopOffsets' tables.
static bool hasSmallOffsets(Value operand) {
  return cast<RankedTensorType>(viewed(operand).getType()).getNumElements() <= INT32_MAX;
}

// Adds to n the loops of the same factor that continue it in c, as long as its extent leaves registers of a tile empty.
static void widen(MatmulNest &product, SmallVector<LoopDim> &others) {
  constexpr int64_t full = 64; // columns of the widest tile: 4 AVX-512 registers of f32
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

// Divides the summed loops in `slow`, `depth` and k. False if a factor does not depend on one of them.
static bool takeSums(MatmulNest &product, const Contraction &x) {
  auto lacksOne = [](const LoopDim &loop) { return loop.a == 0 || loop.b == 0; };
  SmallVector<LoopDim> loops = x.k;
  product.chains = x.chains;
  product.pairs = x.pairs;
  product.slow = x.anew;
  product.k = loops.back();
  // The fastest loop alone is k if blocks end with it; else blocks span several loops, which k then counts together.
  if (loops.size() > 1 && product.k.extent % (x.pairs ? pairBlock : sumBlock) != 0) {
    product.k.extent = extentOf(loops);
    product.depth = std::move(loops);
    return llvm::none_of(product.depth, lacksOne);
  }
  loops.pop_back();
  llvm::append_range(product.slow, loops);
  return !lacksOne(product.k);
}

std::optional<MatmulNest> plc::ein::asProduct(Contraction x) {
  if (x.k.empty() || x.m.empty() || x.n.empty() || x.part)
    return std::nullopt;
  // Blocks are added to c in memory, so c must hold a sum without rounding it.
  if (x.sum != getElementTypeOrSelf(x.c.getType()))
    return std::nullopt;
  auto isContiguous = [](const LoopDim &loop) { return loop.c == 1; };
  if (llvm::any_of(x.m, isContiguous))
    iteration(x);
  MatmulNest product;
  product.a = x.a, product.b = x.b, product.c = x.c;
  product.firstOfA = x.firstOfA, product.firstOfB = x.firstOfB;
  product.accumulates = x.accumulates;
  product.m = take(x.m);
  product.n = take(x.n);
  if (!takeSums(product, x))
    return std::nullopt;
  if (hasSmallOffsets(x.b))
    widen(product, x.n);
  if (!product.depth.empty() && (!hasSmallOffsets(x.a) || !hasSmallOffsets(x.b)))
    return std::nullopt;
  for (auto *loops : {&x.batch, &x.m, &x.n})
    llvm::append_range(product.outer, *loops);
  return product;
}

std::optional<MatmulNest> plc::ein::asStream(Contraction x) {
  if (x.k.empty() || x.part || x.sum != getElementTypeOrSelf(x.c.getType()))
    return std::nullopt;
  if (llvm::any_of(x.m, [](const LoopDim &loop) { return loop.c == 1; }))
    iteration(x);
  if (x.n.empty())
    return std::nullopt;
  MatmulNest product;
  product.a = x.a, product.b = x.b, product.c = x.c;
  product.firstOfA = x.firstOfA, product.firstOfB = x.firstOfB;
  product.accumulates = x.accumulates;
  product.n = take(x.n);
  if (!x.m.empty())
    product.m = take(x.m);
  if (product.m.extent > mostStreamRows || product.n.c != 1 || !takeSums(product, x) || !product.depth.empty() ||
      (product.n.b != 1 && product.k.b != 1))
    return std::nullopt;
  for (auto *loops : {&x.batch, &x.m, &x.n})
    llvm::append_range(product.outer, *loops);
  return product;
}

int64_t MatmulNest::run() const {
  if (columns.empty())
    return n.extent;
  int64_t inner = n.extent / columns.front().extent;
  return columns.front().c == inner ? n.extent : inner;
}

bool MatmulNest::packs() const {
  // Rows of a from which packing b pays. Not tuned: by the shipped rates for AVX-512 it adds 12 % to the work of 48
  // rows.
  constexpr int64_t packFrom = 48;
  return n.b != 1 || !columns.empty() || m.extent >= packFrom;
}

MatmulNest plc::ein::forTiles(MatmulNest product) {
  constexpr int64_t lanes = 16;
  MatmulNest joined = product;
  auto isOfColumns = [](const LoopDim &loop) { return loop.a == 0 && loop.b != 0; };
  // The longest loop that only b counts.
  auto longest = llvm::max_element(joined.outer, [&](const LoopDim &p, const LoopDim &q) {
    return std::pair(isOfColumns(p), p.extent) < std::pair(isOfColumns(q), q.extent);
  });
  // A register has columns of two iterations of the loop at most, so n needs 16 columns.
  if (longest == joined.outer.end() || !isOfColumns(*longest) || product.n.c != 1 || product.n.extent < lanes ||
      !product.packs() || !hasSmallOffsets(product.b))
    return product;
  int64_t apart = int64_t(llvm::divideCeil(product.n.extent, lanes)) * longest->extent;
  int64_t together = llvm::divideCeil(product.n.extent * longest->extent, lanes);
  if (together > apart - apart / 32)
    return product;
  if (joined.columns.empty())
    joined.columns = {joined.n};
  joined.columns.insert(joined.columns.begin(), *longest);
  joined.n.extent *= longest->extent;
  joined.outer.erase(longest);
  return joined;
}

int64_t GroupedNest::rowCount() const { return extentOf(rows); }

std::optional<GroupedNest> plc::ein::asGrouped(Contraction x) {
  if (!x.part || x.part->extent > mostParts || x.sum != getElementTypeOrSelf(x.c.getType()) || x.chains)
    return std::nullopt;
  GroupedNest nest{{}, {}, *x.part};
  MatmulNest &product = nest.product;
  product.a = x.a, product.b = x.b, product.c = x.c;
  product.firstOfA = x.firstOfA, product.firstOfB = x.firstOfB;
  product.accumulates = x.accumulates;
  product.m.extent = 1;
  // A dimension that counts positions and the table too has another table at each of its values.
  auto isTwice = [](const LoopDim &loop) { return loop.positions && loop.b; };
  for (auto *loops : {&x.batch, &x.m, &x.n, &x.k, &x.anew})
    if (llvm::any_of(*loops, isTwice))
      return std::nullopt;
  nest.rows = x.m;
  SmallVector<LoopDim> columns;
  for (auto *loops : {&x.batch, &x.n})
    for (const LoopDim &loop : *loops)
      (loop.positions ? nest.rows : loop.a ? product.outer : columns).push_back(loop);
  if (columns.empty() || nest.rowCount() > mostGroupedRows)
    return std::nullopt;
  product.n = take(columns);
  llvm::append_range(product.outer, columns);
  // A sum over several positions would begin in one slice and end in another.
  if (product.n.c != 1 || x.k.empty() || llvm::any_of(x.k, Contraction::isOfPositions) ||
      llvm::any_of(x.anew, Contraction::isOfPositions))
    return std::nullopt;
  if (!takeSums(product, x) || !hasSmallOffsets(x.a) || !hasSmallOffsets(x.b))
    return std::nullopt;
  return nest;
}
