//===- RowKernels.cpp - kernels of independent rows -----------------------===//
//
// A row is computed in phases. Phase p visits the inner dimensions once and does the reductions whose operands need the
// results of p earlier ones: a softmax has three phases. A value that a later phase needs is computed again if that is
// cheap, else its row is kept. Elementwise kernels are rows with one phase.
//
//===----------------------------------------------------------------------===//
#include "PointwiseEmitter.h"
#include "ScalarFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

namespace {

// Operations above which a row is kept and not computed again. Not tuned: by the shipped rates for AVX-512 six take
// 0.05 ns an element, a store and a load of an f32 in L2 0.09 ns. A function such as exp always counts more.
constexpr int keepAbove = 6;
// Elements from which rows are cut in pieces of about `pieceLength` if there are few rows. Not tuned: 4096 f32 are 16
// KiB, far more than the start of a loop costs.
constexpr int64_t longRow = 8192;
constexpr int64_t pieceLength = 4096;
// Elements of a chunk of an update, so that a small parameter runs a part of a block. Not tuned: four vectors of
// AVX-512, whose loop is unrolled.
constexpr int64_t updatedPiece = 64;

// Writes equations with a common domain: the rows are the units of chunks.
class RowsWriter {
public:
  RowsWriter(KernelWriter &writer, const ein::IterationSpace &alignment, ArrayRef<Operation *> equations)
      : w(writer), b(writer.b), alignment(alignment), equations(equations),
        points(writer, alignment, planLoops(writer.kernel, alignment, /*mix=*/isElementwise(alignment, equations))) {}

  // Decides phases, kept rows and the loops' shape, then writes the loop over rows.
  LogicalResult run() {
    findLevels();
    if (failed(chooseKept()))
      return failure();
    chooseShape();
    int64_t rows = pieces;
    for (unsigned loop = 0; loop < points.loops.outer; ++loop)
      rows *= points.loops.extents[loop];
    auto [lower, upper] = w.cut(rows);
    w.loop(lower, upper, 1, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
      writeRow(row);
      return {};
    });
    return success();
  }

private:
  // Whether rows mean nothing: no reductions, and every equation has the whole domain.
  static bool isElementwise(const ein::IterationSpace &alignment, ArrayRef<Operation *> equations) {
    return llvm::all_of(equations, [&](Operation *op) {
      return !isa<ein::ReduceOp>(op) && alignment.dims.lookup(op).size() == alignment.extents.size() &&
             !readsRow(alignment, op);
    });
  }
  // Whether a gather reads a row that this kernel computes: the whole row must be complete before.
  static bool readsRow(const ein::IterationSpace &alignment, Operation *op) {
    return isa<ein::GatherOp>(op) && op->getOperand(0).getDefiningOp() &&
           alignment.dims.contains(op->getOperand(0).getDefiningOp());
  }
  bool perRow(Operation *op) const { return alignment.isPerRow(op); }

  // The phase of each equation: one more than that of the reductions and complete rows that it needs.
  void findLevels() {
    for (Operation *op : equations) {
      unsigned highest = 0;
      for (Value operand : op->getOperands())
        if (Operation *maker = operand.getDefiningOp(); maker && alignment.dims.contains(maker)) {
          bool finishesRow = readsRow(alignment, op) && operand == op->getOperand(0);
          highest = std::max(highest, level.lookup(maker) + finishesRow);
        }
      level[op] = highest + isa<ein::ReduceOp>(op);
      last = std::max(last, level[op]);
    }
  }

  // Chooses the rows to keep. The phases in which consumers need a value decide, so consumers come first. Fails if the
  // rows do not fit the stack.
  LogicalResult chooseKept() {
    // The effort to compute a value again: operations since the nearest kept or per-row value.
    DenseMap<Operation *, int> effort;
    for (Operation *op : equations) {
      int total = isa<ein::GatherOp>(op) ? keepAbove + 1 : 1;
      if (auto map = dyn_cast<ein::MapOp>(op); map && ein::isTranscendental(map.getFunction()))
        total = keepAbove + 1;
      for (Value operand : op->getOperands())
        if (Operation *maker = operand.getDefiningOp(); maker && alignment.dims.contains(maker))
          total += effort.lookup(maker) > keepAbove || perRow(maker) ? 1 : effort.lookup(maker);
      effort[op] = total;
    }
    int64_t inner = 1;
    for (unsigned loop = points.loops.outer; loop < points.loops.extents.size(); ++loop)
      inner *= points.loops.extents[loop];
    // A value is kept if a later phase needs it and it is expensive, or if a gather reads its row.
    DenseMap<Operation *, unsigned> wanted; // latest phase
    for (Operation *op : llvm::reverse(equations)) {
      if (perRow(op) || isa<ein::ReduceOp>(op))
        continue;
      unsigned latest = level[op];
      bool table = false;
      for (Operation *user : op->getUsers()) {
        if (!alignment.dims.contains(user))
          continue;
        table |= readsRow(alignment, user) && user->getOperand(0) == op->getResult(0);
        bool later = !isa<ein::ReduceOp>(user) && !perRow(user);
        latest = std::max(latest, later ? wanted.lookup(user) : level[user] - isa<ein::ReduceOp>(user));
      }
      wanted[op] = latest;
      Type element = storedType(cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
      int64_t bytes = int64_t(llvm::alignTo(inner, ein::sumLanes)) * element.getIntOrFloatBitWidth() / 8;
      // A row may be a whole tensor, as that of the norm of a matrix: then it is computed again.
      bool fits = w.isStored(op->getResult(0)) || w.scratchBytes() + bytes <= stackLimit;
      if (!table && (latest == level[op] || effort[op] <= keepAbove || !fits))
        continue;
      // Once kept, the value is not computed again, so its operands are not needed later for it.
      wanted[op] = level[op];
      Value scratch;
      // A stored result is its own copy: it is read back from there.
      if (!w.isStored(op->getResult(0)))
        scratch = w.scratch(llvm::alignTo(inner, ein::sumLanes), element);
      points.kept[op] = {scratch, level[op]};
    }
    if (w.scratchBytes() > stackLimit)
      return w.kernel.emitError("a kernel needs ")
             << w.scratchBytes() << " bytes to keep a row but the stack has room for " << stackLimit;
    return success();
  }

  // Chooses how loops are vectorized. Lanes run along the last loop. The order `lanes` takes element i of a flattened
  // row in lane i mod 16, so inner loops that do not compose need a last extent divisible by 16, else go element by
  // element. Long rows of few-row kernels are cut in pieces, so that threads share them.
  void chooseShape() {
    const Loops &loops = points.loops;
    bool reduces = llvm::any_of(equations, [](Operation *op) { return isa<ein::ReduceOp>(op); });
    unsigned inner = loops.extents.size() - loops.outer;
    single = inner == 0 || (reduces && inner > 1 && loops.extents.back() % ein::sumLanes != 0);
    if (reduces || inner != 1 || last > 0 || (loops.extents.back() < longRow && !w.kernel.getInPlace()))
      return;
    int64_t rows = 1, extent = loops.extents.back();
    for (unsigned loop = 0; loop < loops.outer; ++loop)
      rows *= loops.extents[loop];
    bool plain = llvm::none_of(equations, [&](Operation *op) { return perRow(op); });
    if (w.kernel.getInPlace() && plain && extent % updatedPiece == 0) {
      pieces = extent / updatedPiece;
      return;
    }
    // 256 rows are enough chunks for any number of threads that a rank has.
    for (int64_t length = pieceLength; rows < 256 && plain && length >= ein::sumLanes; length -= ein::sumLanes)
      if (extent % length == 0) {
        pieces = extent / length;
        return;
      }
  }

  // All phases of one row, or of one piece of it.
  void writeRow(Value row) {
    const Loops &loops = points.loops;
    SmallVector<int64_t> extents(loops.extents.begin(), loops.extents.begin() + loops.outer);
    if (pieces > 1)
      extents.push_back(pieces);
    Point point;
    point.index = w.delinearize(row, extents);
    if (pieces > 1)
      start = w.times(point.index.pop_back_val(), loops.extents.back() / pieces);
    point.index.resize(loops.extents.size());
    points.rowValues.clear();
    for (points.phase = 0; points.phase <= last; ++points.phase) {
      // Values of the phase before belong to other points.
      points.blockValues.clear();
      for (Operation *op : equations)
        if (level[op] == points.phase && perRow(op) && !isa<ein::ReduceOp>(op))
          finishPerRow(op, points.valueOf(op, point), point);
      writePhase(point);
    }
  }

  // Stores a value of the whole row and makes it known to later phases.
  void finishPerRow(Operation *op, Value value, const Point &point, Value add = {}) {
    if (w.isStored(op->getResult(0)))
      points.store(op, value, point, add);
    points.rowValues[op] = castElement(b, value, cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
  }

  // One pass over the inner loops: values that are stored or kept in this phase, and the reductions that end it.
  void writePhase(const Point &point) {
    SmallVector<Operation *> reductions, stored;
    for (Operation *op : equations) {
      bool reduces = isa<ein::ReduceOp>(op);
      if (reduces && level[op] == points.phase + 1)
        reductions.push_back(op);
      if (!reduces && !perRow(op) && level[op] == points.phase &&
          (w.isStored(op->getResult(0)) || points.kept.contains(op)))
        stored.push_back(op);
    }
    // Phases may be empty, if all values of one are per row.
    if (reductions.empty() && stored.empty())
      return;
    SmallVector<Value> lanes;
    for (Operation *op : reductions)
      lanes.push_back(startLanes(cast<ein::ReduceOp>(op)));
    Block body = {reductions, stored};
    Point inside = point;
    lanes = walk(points.loops.outer, inside, lanes, body);
    for (auto [op, held] : llvm::zip(reductions, lanes)) {
      auto reduce = cast<ein::ReduceOp>(op);
      Value all = held;
      if (single)
        all = w.load(held, reduce.getSumType(), w.index(0), 1, {ein::sumLanes, ein::sumLanes});
      finishPerRow(op, tree(reduce, all), point, reduce.getAccumulator() ? w.accumulate : Value());
    }
  }

  struct Block {
    ArrayRef<Operation *> reductions, stored;
  };

  // The 16 partial sums of a reduction: a vector, or a buffer if the row goes element by element.
  Value startLanes(ein::ReduceOp reduce) {
    auto type = VectorType::get({ein::sumLanes}, reduce.getSumType());
    Value lanes = identityOf(b, reduce.getReduction(), type);
    if (!single)
      return lanes;
    Value &buffer = laneBuffers[reduce];
    if (!buffer)
      buffer = w.scratch(ein::sumLanes, storedType(reduce.getSumType()));
    w.store(lanes, buffer, w.index(0), 1, {ein::sumLanes, ein::sumLanes});
    return buffer;
  }

  // Adds lane l + 8 to lane l, then l + 4, l + 2 and l + 1: the tree of the order `lanes`.
  Value tree(ein::ReduceOp reduce, Value lanes) {
    for (int64_t half = ein::sumLanes / 2; half; half /= 2) {
      SmallVector<int64_t> low, high;
      for (int64_t lane = 0; lane < half; ++lane) {
        low.push_back(lane);
        high.push_back(lane + half);
      }
      Value x = vector::ShuffleOp::create(b, lanes, lanes, high), m = vector::ShuffleOp::create(b, lanes, lanes, low);
      lanes = combine(b, reduce.getReduction(), m, x);
    }
    return vector::ExtractOp::create(b, lanes, ArrayRef<int64_t>{0});
  }

  // Nests the inner loops. The last one steps by 16 elements, with a masked block for its tail.
  SmallVector<Value> walk(unsigned loop, Point &point, SmallVector<Value> lanes, const Block &body) {
    const Loops &loops = points.loops;
    if (loop == loops.extents.size())
      return writeBlock(point, lanes, body);
    int64_t extent = loops.extents[loop];
    bool lastLoop = loop + 1 == loops.extents.size();
    SmallVector<Value> carried = single ? SmallVector<Value>() : lanes;
    auto inside = [&](Value at, ValueRange values) {
      point.index[loop] = at;
      return single ? (walk(loop + 1, point, lanes, body), SmallVector<Value>())
                    : walk(loop + 1, point, SmallVector<Value>(values), body);
    };
    if (single || !lastLoop) {
      SmallVector<Value> next = w.loop(w.index(0), w.index(extent), 1, carried, inside);
      return single ? lanes : next;
    }
    extent /= pieces;
    Value lower = pieces > 1 ? start : w.index(0);
    int64_t whole = extent / ein::sumLanes * ein::sumLanes;
    point.vector = loop;
    point.width = point.active = ein::sumLanes;
    if (whole)
      carried =
          w.loop(lower, pieces > 1 ? w.plus(lower, w.index(whole)) : w.index(whole), ein::sumLanes, carried, inside);
    if (whole < extent) {
      point.active = extent - whole;
      point.index[loop] = w.plus(lower, w.index(whole));
      carried = writeBlock(point, carried, body);
    }
    return carried;
  }

  // One vector (or element) of the row: stores and kept rows first, then one step of each reduction.
  SmallVector<Value> writeBlock(const Point &point, SmallVector<Value> lanes, const Block &body) {
    points.blockValues.clear();
    if (w.kernel.getInPlace()) // the stores below may overwrite what later values would load
      for (Operation *op : body.stored)
        points.valueOf(op, point);
    for (Operation *op : body.stored) {
      Value value = points.valueOf(op, point);
      if (w.isStored(op->getResult(0)))
        points.store(op, value, point);
      if (points.kept.contains(op)) {
        points.broadcast(value, point);
        points.keep(op, value, point);
      }
    }
    for (auto [op, held] : llvm::zip(body.reductions, lanes)) {
      auto reduce = cast<ein::ReduceOp>(op);
      Value x = castElement(b, points.operandOf(op, 0, point), reduce.getSumType());
      if (single) {
        combineOne(reduce, held, x, point);
        continue;
      }
      points.broadcast(x, point);
      Value next = combine(b, reduce.getReduction(), held, x);
      // Inactive lanes keep their sum.
      if (point.active < point.width)
        next = arith::SelectOp::create(b, w.mask(point.lanes()), next, held);
      held = next;
    }
    return lanes;
  }

  // Adds one element to the lane of its position in the flattened row.
  void combineOne(ein::ReduceOp reduce, Value buffer, Value x, const Point &point) {
    Value flat;
    int64_t step = 1;
    for (unsigned loop = points.loops.extents.size(); loop-- > points.loops.outer;) {
      flat = w.plus(flat, w.times(point.index[loop], step));
      step *= points.loops.extents[loop];
    }
    Value lane = flat ? Value(arith::RemUIOp::create(b, flat, w.index(ein::sumLanes))) : w.index(0);
    Value held = w.load(buffer, reduce.getSumType(), lane, 0, {});
    w.store(combine(b, reduce.getReduction(), held, x), buffer, lane, 0, {});
  }

  KernelWriter &w;
  ImplicitLocOpBuilder &b;
  const ein::IterationSpace &alignment;
  ArrayRef<Operation *> equations;
  PointwiseEmitter points;
  DenseMap<Operation *, unsigned> level;
  DenseMap<Operation *, Value> laneBuffers;
  unsigned last = 0;
  bool single = false; // element by element
  int64_t pieces = 1;  // of a long row, in different chunks
  Value start;         // first element of the piece
};

} // namespace

LogicalResult codegen::writeRows(KernelWriter &writer, ArrayRef<Operation *> equations) {
  std::optional<ein::IterationSpace> alignment = ein::unifyDomains(equations);
  if (!alignment)
    return writer.kernel.emitOpError("has equations without a common domain");
  return RowsWriter(writer, *alignment, equations).run();
}

LogicalResult codegen::writeRows(KernelWriter &writer) { return writeRows(writer, equationsOf(writer.kernel)); }
