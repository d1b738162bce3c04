//===- KernelCost.cpp - the cost model of a kernel ------------------------===//
#include "KernelCost.h"

#include "plc/Analysis/IterationSpace.h"
#include "plc/Analysis/Layout.h"
#include "plc/Analysis/MatmulNest.h"
#include "plc/Analysis/ScatteredProducts.h"
#include "plc/Dialect/Ein/Views.h"

#include "llvm/Support/DebugLog.h"

#include <algorithm>
#include <cmath>

#define DEBUG_TYPE "kernel-cost"

using namespace mlir;
using namespace plc;
using namespace plc::kernels;
using ein::pointsOf;
using plan::Implementation;
using plan::KernelKind;

namespace {

constexpr int64_t laneCount = 16; // elements that code computes at once: f32 of an AVX-512 register
// Operands of up to this many bytes are read from L2. From twice as many on none are, since each pushes out another
// before it is read again. 1 MiB is the L2 of a Zen 5 core, and half of that of an Intel Xeon with AMX.
constexpr int64_t nearBytes = int64_t(1) << 20;

// How many of the bytes that a kernel reads again come from memory each time. Linear between one and two times
// `nearBytes`, so that no cost jumps.
int64_t farOf(int64_t bytes) {
  return bytes - std::clamp<int64_t>(2 * nearBytes - bytes, 0, std::min(bytes, nearBytes));
}

// The cost of a function at one point: a rate, and how many times it counts.
struct FunctionCost {
  Rate rate;
  double times;
};

// Whether the divisor is a constant, so that LLVM divides by a multiplication and shifts.
bool isByConstant(ein::MapOp map) { return map.getInputs().back().getDefiningOp<ein::ConstantOp>() != nullptr; }

// Factors other than 1 are not calibrated. A division by a constant counts as 4 operations; other integer divisions go
// lane by lane.
FunctionCost costOf(ein::MapOp map) {
  switch (ein::infoOf(map.getFunction()).cost) {
  case ein::CostClass::Copy: return {Rate::element, 0}; // a load, which the bytes are charged for
  case ein::CostClass::Element: return {Rate::element, 1};
  case ein::CostClass::Divide: return {Rate::divide, 1};
  case ein::CostClass::IntegerDivide: // one lane at a time, unless by a constant
    return isByConstant(map) ? FunctionCost{Rate::element, 4} : FunctionCost{Rate::divide, 10};
  case ein::CostClass::Exp: return {Rate::exp, 1};
  case ein::CostClass::Log: return {Rate::log, 1};
  case ein::CostClass::Tanh: return {Rate::tanh, 1};
  case ein::CostClass::Power: return {Rate::tanh, 3};
  }
  llvm_unreachable("no class of the table");
}

// Rates are those of f32. A vector register holds half as many f64. Integers and truth values run at f32's rate,
// whatever their width.
double timesOfF32(ElementType type) { return isReal(type) ? byteWidth(sumTypeOf(type)) / 4.0 : 1; }
double widthOf(Operation *op) { return timesOfF32(elementTypeOf(op->getResult(0).getType())); }

int64_t productOf(ArrayRef<int64_t> extents) {
  int64_t product = 1;
  for (int64_t extent : extents)
    product *= extent;
  return product;
}

// The factor by which vectors of `width` are slower on so many neighbours than full vectors would be.
double emptyLanes(int64_t neighbours, int64_t width = laneCount) {
  return double(llvm::alignTo(neighbours, width)) / double(neighbours);
}

// Extent of the loop along which the result is contiguous, where vectors run.
int64_t neighboursOf(const ein::Contraction &contraction) {
  int64_t neighbours = 1;
  for (auto *loops : {&contraction.batch, &contraction.m, &contraction.n})
    for (const ein::LoopDim &loop : *loops)
      if (loop.c == 1)
        neighbours = loop.extent;
  return neighbours;
}

Rate flopRateOf(const ein::MatmulNest &x) { return x.pairs ? Rate::pairFlop : Rate::tileFlop; }

// Adds the work of grouped tiles: the rows are sorted, and the chosen slices of the table are packed.
void addGrouped(const ein::GroupedNest &x, double width, double flops, PerRate &amounts) {
  double units = double(x.product.units()), rows = double(x.rowCount());
  double n = double(x.product.n.extent), k = double(x.product.k.extent);
  double blocks = double(llvm::divideCeil(x.product.k.extent, ein::sumBlock)) * double(x.product.slowSteps());
  amounts[flopRateOf(x.product)] += flops * emptyLanes(x.product.n.extent);
  amounts[Rate::element] += 2 * width * units * blocks * rows * n;
  amounts[Rate::gatheredElement] += rows;
  // At most as many slices are packed as there are rows to choose them.
  amounts[Rate::packedElement] += width * units * std::min(rows, double(x.part.extent)) * n * k;
}

// Adds the work of a stream: each sum is read and written for each 8 rows of the matrix. A matrix that is contiguous
// along the sums is transposed in registers, which memory hides, so only its near part is charged.
void addStream(const ein::MatmulNest &x, double width, double flops, double far, PerRate &amounts) {
  amounts[flopRateOf(x)] += flops * emptyLanes(x.n.extent);
  if (x.n.b == 1)
    amounts[Rate::element] += flops / 2 / 8 * emptyLanes(x.n.extent);
  else
    amounts[Rate::packedElement] +=
        (1 - far) * width * double(x.units() * x.slowSteps()) * double(x.n.extent) * double(x.k.extent);
}

// The fraction of a contraction's bytes that L2 does not hold.
double farPart(const ein::Contraction &contraction) {
  int64_t bytes = 0;
  for (Value each : {contraction.a, contraction.b, contraction.c})
    bytes += byteSizeOf(cast<RankedTensorType>(each.getType()));
  return double(farOf(bytes)) / double(bytes);
}

// Adds the work of a contraction by an implementation, beside reading its operands once. It is a sum over products of
// `m x k` by `k x n`:
// - BLIS has a call for each block of each product; tiles add each block's sums to memory.
// - Both read rows of a again, from memory if they are many: BLIS for each panel of b, tiles for each group of panels.
// - Both pack operands that are not contiguous. BLIS does so less often, but takes longer for it.
// - Tiles also pack contiguous rows of b, if many rows of a read them.
void addContraction(ein::ContractOp op, Implementation by, PerRate &amounts) {
  constexpr int64_t panelWidth = 64;
  double width = widthOf(op), flops = 2 * double(pointsOf(op)) * width;
  ein::Contraction contraction = ein::analyse(op);
  // The special forms of tiles come first, because they may also be matrix products.
  if (std::optional<ein::GroupedNest> grouped = ein::asGrouped(contraction); grouped && by == Implementation::tiles)
    return addGrouped(*grouped, width, flops, amounts);
  if (std::optional<ein::MatmulNest> stream = ein::asStream(contraction); stream && by == Implementation::tiles)
    return addStream(*stream, width, flops, farPart(contraction), amounts);
  std::optional<ein::MatmulNest> x = ein::asProduct(contraction);
  // No matrix product: chains, at the rate of vectors that may be partly empty.
  if (by == Implementation::chains || !x) {
    amounts[Rate::chainFlop] += flops * emptyLanes(neighboursOf(contraction));
    return;
  }
  if (by == Implementation::tiles)
    x = ein::forTiles(*x);
  double times = double(x->units()) * double(x->slowSteps());
  double blocks = double(llvm::divideCeil(x->k.extent, ein::sumBlock));
  double panels = double(llvm::divideCeil(x->n.extent, panelWidth));
  if (by == Implementation::blis) {
    amounts[Rate::contractFlop] += flops;
    amounts[Rate::libraryCall] += times * blocks;
  } else {
    amounts[flopRateOf(*x)] += flops * emptyLanes(x->n.extent);
    amounts[Rate::element] += 2 * width * times * blocks * double(x->m.extent) * double(x->n.extent);
  }
  double elements = double(x->m.extent) * double(x->k.extent), passes = panels;
  // Rows of a are read once for each group of panels that fits in the packed buffer.
  if (by == Implementation::tiles && x->packs()) {
    double bytes = 4 * width * double(std::min(x->k.extent, ein::sumBlock)) * double(x->n.extent);
    passes = std::ceil(bytes / double(ein::packedBytes));
    if (x->n.b == 1)
      amounts[Rate::packedElement] += width * times * double(x->n.extent) * double(x->k.extent);
  }
  // The first pass is in the kernel's bytes; only the others are added.
  amounts[Rate::byte] += times * (passes - 1) * double(farOf(int64_t(4 * width * elements)));
  double packed = 0;
  if (x->n.b != 1)
    packed += width * times * double(x->n.extent) * double(x->k.extent);
  // Narrow rows of a are widened once for each group of panels; others are packed for each panel.
  if (x->k.a != 1)
    packed += width * times * (ein::isNarrow(x->a.getType()) ? passes : panels) * elements;
  double far = farPart(contraction);
  amounts[Rate::packedElement] += packed * (1 - far);
  amounts[Rate::farPackedElement] += packed * far;
}

// Adds the work of a scatter. Outer products run in tiles, at one fma or two operations a product.
void addScatter(ein::ScatterAddOp op, PerRate &amounts) {
  double points = double(pointsOf(op)) * widthOf(op);
  if (std::optional<ein::ScatteredProducts> products = ein::asScatteredProducts(op))
    amounts[Rate::tileFlop] += (products->fused ? 2 : 4) * points * emptyLanes(products->n.extent);
  else
    amounts[Rate::scatteredElement] += points;
}

// Adds the work of maps, casts, gathers and reductions of one domain. Vectors run along the domain's last dimension, or
// along the last kept one if the kernel reduces columns.
class RowCounter {
public:
  RowCounter(plan::KernelOp kernel, ArrayRef<Operation *> equations, const ein::IterationSpace &space, PerRate &amounts)
      : equations(equations), space(space), amounts(amounts), columns(kernel.getKind() == KernelKind::columns) {
    vector = int(columns ? space.outer : space.extents.size()) - 1;
    for (Operation *op : equations)
      reductions += isa<ein::ReduceOp>(op);
  }

  void run() {
    lanes = lanesPerElement();
    for (Operation *op : equations)
      add(op);
  }

  // A free value is computed at each point of its reader.
  void addFree(Operation *op, Operation *reader) {
    if (auto map = dyn_cast<ein::MapOp>(op)) {
      FunctionCost cost = costOf(map);
      amounts[cost.rate] += cost.times * pointsIn(reader);
    }
  }

private:
  // The factor by which partly empty vectors make the kernel slower: one element takes as long as a vector.
  double lanesPerElement() const {
    if (vector < 0)
      return laneCount;
    if (columns) // one chain per lane; four vectors of them at once hide each other's latency
      return emptyLanes(space.extents[vector], space.extents[vector] % 64 == 0 ? 64 : laneCount);
    ArrayRef<int64_t> inner = ArrayRef(space.extents).drop_front(space.outer);
    if (!reductions)
      return emptyLanes(isOneLoop() ? productOf(space.extents) : space.extents[vector]);
    // Rows that vectors cannot fill go element by element.
    if (inner.empty() || (inner.size() > 1 && inner.back() % laneCount))
      return laneCount;
    return emptyLanes(productOf(inner));
  }

  // Whether every operand has the domain's own order, so that all dimensions are one loop.
  bool isOneLoop() const {
    return llvm::all_of(equations, [&](Operation *op) {
      ein::Iteration it = ein::iterationOf(op);
      return llvm::all_of(it.inputs, [](AffineMap map) { return map.isIdentity(); }) && it.result.isIdentity();
    });
  }

  // The points of an equation in units of full vectors; one per row counts as a vector.
  double pointsIn(Operation *op) const {
    bool single = !columns && !space.extents.empty() && space.isPerRow(op) && !isa<ein::ReduceOp>(op);
    return double(pointsOf(op)) * (single ? double(laneCount) : lanes) * widthOf(op);
  }

  // The stride of an operand from one lane to the next.
  int64_t strideOf(Operation *op, AffineMap map, Value tensor) const {
    int64_t stride = 0;
    const auto &dims = space.dims.find(op)->second;
    for (auto [axis, step] : llvm::enumerate(ein::layoutOf(tensor).strides))
      if (int dim = ein::dimOf(map, axis); dim >= 0 && int(dims[dim]) == vector)
        stride += step;
    return stride;
  }

  // Gathers count only where neighbours may be apart: equal positions in all lanes are plain loads, charged by their
  // bytes.
  void add(Operation *op) {
    ein::Iteration it = ein::iterationOf(op);
    double points = pointsIn(op);
    if (isa<ein::ReduceOp>(op)) {
      bool wide = columns && vector >= 0 && space.extents[vector] % 64 == 0;
      amounts[Rate::reducedElement] += points / (wide ? 4 : 1);
    } else if (auto map = dyn_cast<ein::MapOp>(op)) {
      FunctionCost cost = costOf(map);
      amounts[cost.rate] += points * cost.times;
    } else if (isa<ein::GatherOp>(op)) {
      bool varies = llvm::any_of(llvm::enumerate(it.inputs), [&](auto each) {
        return each.index() > 0 && strideOf(op, each.value(), op->getOperand(each.index())) != 0;
      });
      if (varies)
        amounts[Rate::gatheredElement] += double(pointsOf(op));
    } else if (isa<ein::CastOp>(op)) {
      amounts[Rate::element] += points;
    }
  }

  ArrayRef<Operation *> equations;
  const ein::IterationSpace &space;
  PerRate &amounts;
  const bool columns;
  int vector; // the dimension along which vectors run; -1: none
  int64_t reductions = 0;
  double lanes = 1;
};

// FLOPs for reports: two per product of a contraction, one per point of other computing equations.
int64_t flopsOf(Operation *op) {
  if (isa<ein::ContractOp>(op))
    return 2 * pointsOf(op);
  auto map = dyn_cast<ein::MapOp>(op);
  bool computes =
      map ? ein::infoOf(map.getFunction()).cost != ein::CostClass::Copy : isa<ein::ReduceOp, ein::ScatterAddOp>(op);
  return computes ? pointsOf(op) : 0;
}

// Bytes that a kernel reads of an operand; of a table no more than is looked up.
int64_t bytesRead(BlockArgument operand) {
  auto type = cast<RankedTensorType>(operand.getType());
  int64_t elements = 0;
  for (Operation *user : operand.getUsers()) {
    auto gather = dyn_cast<ein::GatherOp>(user);
    // Several readers of one operand count once, by the minimum below.
    elements += gather && gather.getTable() == operand ? pointsOf(gather) : type.getNumElements();
  }
  int64_t bytes = byteSizeOf(type);
  return std::min(elements, type.getNumElements()) * (bytes / std::max<int64_t>(1, type.getNumElements()));
}

// Bytes that an update reads and writes: of a state only the elements that are replaced.
int64_t bytesPut(Block &body) {
  int64_t bytes = 0;
  for (auto put : body.getOps<ein::PutOp>()) {
    bytes += 2 * byteSizeOf(put.getUpdates().getType());
    for (Value positions : put.getIndices())
      bytes += byteSizeOf(cast<RankedTensorType>(positions.getType()));
  }
  return bytes;
}

// For the debug log: rates with nonzero amounts.
std::string amountsText(const KernelWork &work) {
  std::string text;
  for (auto [index, row] : llvm::enumerate(Choice<Rate>::rows()))
    if (double amount = work.amounts[Rate(index)])
      text += (Twine(" ") + row.name + " x " + Twine(int64_t(amount))).str();
  return text;
}

} // namespace

KernelWork kernels::workOf(plan::KernelOp kernel) {
  KernelWork work;
  Block &body = kernel.getBody().front();
  auto results = llvm::map_to_vector(body.getTerminator()->getOperands(), ein::viewed);
  SmallVector<Operation *> equations, free;
  for (Operation &op : body.without_terminator()) {
    if (ein::isView(&op))
      continue;
    bool made = !ein::isFree(op.getResult(0)) || llvm::is_contained(results, op.getResult(0));
    (made ? equations : free).push_back(&op);
    if (made)
      work.flops += flopsOf(&op);
  }
  // An update touches only the replaced elements of its state.
  if (kernel.getUpdates())
    work.bytes = bytesPut(body);
  else
    for (BlockArgument operand : body.getArguments())
      work.bytes += bytesRead(operand);
  for (Type result : body.getTerminator()->getOperandTypes())
    work.bytes += kernel.getUpdates() ? 0 : byteSizeOf(cast<RankedTensorType>(result));
  for (Operation *op : equations) {
    if (auto contract = dyn_cast<ein::ContractOp>(op))
      addContraction(contract, *kernel.getBy(), work.amounts);
    if (auto scatter = dyn_cast<ein::ScatterAddOp>(op))
      addScatter(scatter, work.amounts);
    if (isa<ein::PutOp>(op))
      work.amounts[Rate::scatteredElement] += double(pointsOf(op)) * widthOf(op);
  }
  // Kinds with loops of rows or columns; the others were counted above by their own model.
  if (kernel.getKind() != KernelKind::contract && kernel.getKind() != KernelKind::scatter &&
      kernel.getKind() != KernelKind::insert_slice)
    if (std::optional<ein::IterationSpace> space = ein::unifyDomains(equations)) {
      RowCounter counter(kernel, equations, *space, work.amounts);
      counter.run();
      // A free value is charged once, for the reader with the most points. Reversed, so that readers come first.
      DenseMap<Operation *, Operation *> readers; // of free values: the equation with the most points
      for (Operation *op : equations)
        readers[op] = op;
      for (Operation *op : llvm::reverse(free)) {
        Operation *most = nullptr;
        for (Operation *user : op->getUsers())
          if (Operation *reader = readers.lookup(user); reader && (!most || pointsOf(reader) > pointsOf(most)))
            most = reader;
        if ((readers[op] = most))
          counter.addFree(op, most);
      }
    }
  work.amounts[Rate::cachedByte] += double(work.bytes - farOf(work.bytes));
  work.amounts[Rate::byte] += double(farOf(work.bytes));
  work.amounts[Rate::call] = 1;
  LDBG() << kernel.getSymName() << amountsText(work);
  return work;
}

std::optional<IterationsWork> kernels::workOfIterations(plan::KernelOp kernel) {
  ein::LoopOp loop = kernel.getLoop();
  IterationsWork work;
  // A loop costs its calls times its iterations.
  for (auto call : loop.getIteration().getOps<plan::CallOp>()) {
    auto called = cast<plan::KernelOp>(SymbolTable::lookupSymbolIn(kernel, call.getKernelAttr()));
    work.flops += called.getFlops();
    work.bytes += called.getBytes();
    work.ns += called.getNs();
  }
  for (int64_t *each : {&work.flops, &work.bytes, &work.ns})
    if (llvm::MulOverflow(*each, int64_t(loop.getIterations()), *each) || *each > int64_t(1) << 48)
      return std::nullopt;
  return work;
}

double kernels::nsOf(const PerRate &amounts, const PerRate &rates) {
  double ns = 0;
  for (size_t rate = 0; rate < PerRate::size; ++rate)
    ns += amounts[Rate(rate)] * rates[Rate(rate)];
  return ns;
}

bool kernels::isCostly(Operation *op) {
  auto map = dyn_cast<ein::MapOp>(op);
  return map && costOf(map).rate != Rate::element;
}

double kernels::mapNs(Operation *op, int64_t points, const PerRate &rates) {
  auto map = dyn_cast<ein::MapOp>(op);
  FunctionCost cost = map ? costOf(map) : FunctionCost{Rate::element, double(isa<ein::CastOp>(op))};
  // A small table still takes one full vector.
  return cost.times * rates[cost.rate] * widthOf(op) * double(std::max(points, laneCount));
}

double kernels::storedNs(Value value, const PerRate &rates) {
  int64_t bytes = byteSizeOf(cast<RankedTensorType>(value.getType()));
  double passes = 2; // it is written, and read
  return passes * (double(bytes - farOf(bytes)) * rates[Rate::cachedByte] + double(farOf(bytes)) * rates[Rate::byte]) +
         rates[Rate::call];
}

double kernels::contractionNs(ein::ContractOp op, Implementation by, const PerRate &rates) {
  PerRate amounts;
  addContraction(op, by, amounts);
  return nsOf(amounts, rates);
}
