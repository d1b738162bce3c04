//===- Columns.cpp - column reductions: one chain per kept element --------===//
#include "PointwiseEmitter.h"
#include "ScalarFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

namespace {

// Writes a reduction in which every sum is one chain. The kept dimensions are the outer loops; SIMD lanes run along the
// last of them, so each lane is the chain of one result.
class ColumnsWriter {
public:
  ColumnsWriter(KernelWriter &writer, const ein::IterationSpace &alignment, ein::ReduceOp reduce)
      : w(writer), b(writer.b), reduce(reduce),
        points(writer, alignment, planLoops(writer.kernel, alignment, /*mix=*/false)) {}

  // Cuts the kept elements in blocks of `width` columns, which are the units of chunks.
  void run() {
    const Loops &loops = points.loops;
    SmallVector<int64_t> extents(loops.extents.begin(), loops.extents.begin() + loops.outer);
    int64_t columns = extents.empty() ? 1 : extents.back();
    // Additions of one chain wait for each other: one takes 3 to 4 cycles, and a core starts two a cycle. So 64 columns
    // of f32 keep four AVX-512 registers of chains in flight.
    if (extents.empty() || columns == 1)
      width = 1;
    else
      width = columns % 64 == 0 ? 64 : 16;
    int64_t blocks = llvm::divideCeil(columns, width), units = blocks;
    // The last kept dimension counts in blocks.
    if (!extents.empty())
      extents.back() = blocks;
    for (unsigned loop = 0; loop + 1 < extents.size(); ++loop)
      units *= extents[loop];
    auto [lower, upper] = w.cut(units);
    w.loop(lower, upper, 1, {}, [&](Value unit, ValueRange) -> SmallVector<Value> {
      Point point;
      point.index = w.delinearize(unit, extents);
      Value block = extents.empty() ? Value() : point.index.back();
      if (width > 1) {
        point.index.back() = w.times(block, width);
        point.vector = loops.outer - 1;
        point.width = width;
      }
      point.index.resize(loops.extents.size());
      point.active = width;
      writeUnit(point, block, columns, blocks);
      return {};
    });
  }

private:
  // Writes one block of columns; only the last one may be ragged.
  void writeUnit(Point point, Value block, int64_t columns, int64_t blocks) {
    int64_t tail = columns % width;
    if (tail == 0)
      return writeColumns(point);
    Point ragged = point;
    ragged.active = tail;
    if (blocks == 1)
      return writeColumns(ragged);
    // The ragged block has a branch of its own, so that the others need no mask.
    Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, block, w.index(blocks - 1));
    auto branch = scf::IfOp::create(b, isLast, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenYield());
    writeColumns(ragged);
    b.setInsertionPoint(branch.elseYield());
    writeColumns(point);
  }

  // Writes the sums of one block, from the accumulator if the reduction has one that is not vacant.
  void writeColumns(Point &point) {
    Type type = reduce.getSumType();
    if (point.vector >= 0)
      type = VectorType::get({width}, type);
    // The sum has its own type; the store rounds once.
    Value sum = identityOf(b, reduce.getReduction(), type);
    if (reduce.getAccumulator())
      sum = arith::SelectOp::create(b, w.accumulate, points.load(reduce, point), sum);
    points.store(reduce, walk(points.loops.outer, point, sum), point);
  }

  // Nests one loop per reduced dimension, slowest first: the order of the chain.
  Value walk(unsigned loop, Point &point, Value sum) {
    if (loop == points.loops.extents.size()) {
      // Values cached for the previous point are stale here.
      points.blockValues.clear();
      Value x = points.operandOf(reduce, 0, point);
      points.broadcast(x, point);
      return combine(b, reduce.getReduction(), sum, castElement(b, x, reduce.getSumType()));
    }
    return w
        .loop(w.index(0), w.index(points.loops.extents[loop]), 1, {sum},
              [&](Value at, ValueRange carried) -> SmallVector<Value> {
                point.index[loop] = at;
                return {walk(loop + 1, point, carried.front())};
              })
        .front();
  }

  KernelWriter &w;
  ImplicitLocOpBuilder &b;
  ein::ReduceOp reduce;
  PointwiseEmitter points;
  int64_t width = 1;
};

} // namespace

LogicalResult codegen::writeColumns(KernelWriter &writer) {
  SmallVector<Operation *> equations = equationsOf(writer.kernel);
  std::optional<ein::IterationSpace> alignment = ein::unifyDomains(equations);
  ein::ReduceOp reduce;
  for (Operation *op : equations)
    if (auto found = dyn_cast<ein::ReduceOp>(op)) {
      if (reduce)
        return writer.kernel.emitOpError("has two reductions but kind 'columns' takes one");
      reduce = found;
    }
  if (!alignment || !reduce)
    return writer.kernel.emitOpError("has no reduction with a domain common to its equations");
  ColumnsWriter(writer, *alignment, reduce).run();
  return success();
}
