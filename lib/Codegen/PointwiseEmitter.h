//===- PointwiseEmitter.h - emits values of equations at points -*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_POINTS_H
#define PLC_LIB_CODEGEN_POINTS_H

#include "KernelWriter.h"

namespace plc::codegen {

/// The loops over a domain, slowest first. Neighbouring dimensions whose strides compose in every tensor are one loop.
struct Loops {
  llvm::SmallVector<int64_t> extents;
  unsigned outer = 0;             // number of loops over rows, which come first
  llvm::SmallVector<int> loopOf;  // for each dimension of the domain
  llvm::SmallVector<bool> counts; // whether it is the last dimension of its loop, whose index stands for all of them
};

/// Plans the loops of a kernel. `mix`: rows and inner dimensions may share a loop, because there is no reduction.
Loops planLoops(plan::KernelOp kernel, const ein::IterationSpace &alignment, bool mix);

/// A point at which values are computed: an index per loop, and `width` lanes along the loop `vector` (-1: none). The
/// first `active` lanes exist; the others may hold anything.
struct Point {
  llvm::SmallVector<mlir::Value> index;
  int vector = -1;
  int64_t width = 1, active = 1;

  Lanes lanes() const { return vector < 0 ? Lanes{} : Lanes{width, active}; }
  Lanes allLanes() const { return vector < 0 ? Lanes{} : Lanes{width, width}; }
};

/// One axis of an access: a dimension of the domain, or an index value that was read from a tensor.
struct AxisIndex {
  int dim = -1;
  mlir::Value index;
};

/// Emits the values of a kernel's equations at points. A value becomes a vector only if its lanes differ.
class PointwiseEmitter {
public:
  PointwiseEmitter(KernelWriter &writer, const ein::IterationSpace &alignment, Loops loops)
      : writer(writer), alignment(alignment), loops(std::move(loops)), b(writer.b) {}

  /// The value of an equation at a point: known, kept by an earlier phase, or computed here.
  mlir::Value valueOf(mlir::Operation *equation, const Point &point);
  /// The value of an equation's operand at a point of the equation.
  mlir::Value operandOf(mlir::Operation *equation, unsigned operand, const Point &point);
  /// Stores a value to the equation's output, rounded to its type; adds to the output if `add` (an i1) is given and
  /// true.
  void store(mlir::Operation *equation, mlir::Value value, const Point &point, mlir::Value add = {});
  /// The accumulator of a reduction, in the type of the sum; anything if it is vacant.
  mlir::Value load(plc::ein::ReduceOp reduce, const Point &point);

  /// Makes an element a vector of the point's lanes.
  void broadcast(mlir::Value &value, const Point &point);

  /// Values known for the row (results of reductions) or for the current block. valueOf looks here first.
  llvm::DenseMap<mlir::Operation *, mlir::Value> rowValues, blockValues;

  /// A row that later phases read again: in scratch of the inner loops' size, or in the kernel's output (null scratch).
  struct Kept {
    mlir::Value scratch;
    unsigned fromPhase;
  };
  llvm::DenseMap<mlir::Operation *, Kept> kept;
  unsigned phase = 0;
  /// Stores a value to the equation's scratch row, if it has one.
  void keep(mlir::Operation *equation, mlir::Value value, const Point &point);

  KernelWriter &writer;
  const ein::IterationSpace &alignment;
  Loops loops;

private:
  using Axes = llvm::SmallVector<AxisIndex>;
  mlir::Value compute(mlir::Operation *equation, const Point &point);
  mlir::Value gather(mlir::Operation *equation, const Point &point);
  mlir::Value readTable(mlir::Value table, const Axes &axes, const Point &point);
  mlir::Value valueAt(mlir::Value value, const Axes &axes, const Point &point);
  mlir::Value freeValue(mlir::Operation *op, const Axes &axes, const Point &point);
  mlir::Value iota(mlir::Type type, const AxisIndex &axis, const Point &point);
  Axes axesOf(mlir::Operation *equation, mlir::AffineMap map) const;
  mlir::Value load(mlir::Value tensor, const Axes &axes, const Point &point);
  std::pair<mlir::Value, int64_t> address(mlir::Value tensor, const Axes &axes, const Point &point);
  std::pair<mlir::Value, int64_t> rowAddress(const Point &point);
  Point laneOf(const Point &point, int64_t lane);

  llvm::DenseMap<mlir::Operation *, unsigned> accessOf;
  mlir::ImplicitLocOpBuilder &b;
};

} // namespace plc::codegen

#endif
