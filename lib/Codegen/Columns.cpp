//===- Columns.cpp - reductions over leading axes, one chain per column -----===//
#include "PointwiseEmitter.h"
#include "ScalarFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

namespace {

// The kept dimensions are the outer loops; lanes lie along the last of them, and each lane is one chain.
class ColumnsWriter {
public:
  ColumnsWriter(KernelWriter &writer, const ein::IterationSpace &alignment, ein::ReduceOp reduce)
      : w(writer), b(writer.b), reduce(reduce),
        points(writer, alignment, planLoops(writer.kernel, alignment, /*mix=*/false)) {}

  void run() {
    const Loops &loops = points.loops;
    SmallVector<int64_t> extents(loops.extents.begin(), loops.extents.begin() + loops.outer);
    int64_t columns = extents.empty() ? 1 : extents.back();
    // A lane is a chain, whose additions wait for each other: wide blocks have several registers of them in flight.
    if (extents.empty() || columns == 1)
      width = 1;
    else
      width = columns % 64 == 0 ? 64 : 16;
    int64_t blocks = llvm::divideCeil(columns, width), units = blocks;
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
  void writeUnit(Point point, Value block, int64_t columns, int64_t blocks) {
    int64_t tail = columns % width;
    if (tail == 0)
      return writeColumns(point);
    Point ragged = point;
    ragged.active = tail;
    if (blocks == 1)
      return writeColumns(ragged);
    // The last block is masked, in a branch of its own, so that the others need no mask.
    Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, block, w.index(blocks - 1));
    auto branch = scf::IfOp::create(b, isLast, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenYield());
    writeColumns(ragged);
    b.setInsertionPoint(branch.elseYield());
    writeColumns(point);
  }

  void writeColumns(Point &point) {
    Type type = reduce.getSumType();
    if (point.vector >= 0)
      type = VectorType::get({width}, type);
    // Summed in its own type, and rounded once, where it is stored.
    Value sum = identityOf(b, reduce.getReduction(), type);
    if (reduce.getAccumulator())
      sum = arith::SelectOp::create(b, w.accumulate, points.load(reduce, point), sum);
    points.store(reduce, walk(points.loops.outer, point, sum), point);
  }

  Value walk(unsigned loop, Point &point, Value sum) {
    if (loop == points.loops.extents.size()) {
      // What was computed is of the point before.
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
