//===- PointwiseEmitter.h - values of aligned equations at points ---------*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_POINTS_H
#define PLC_LIB_CODEGEN_POINTS_H

#include "KernelWriter.h"

namespace plc::codegen {

/// The loops that walk a domain: neighbouring dimensions whose strides compose everywhere are one loop.
struct Loops {
  llvm::SmallVector<int64_t> extents;
  unsigned outer = 0;             // loops over rows come first
  llvm::SmallVector<int> loopOf;  // of a dimension of the domain
  llvm::SmallVector<bool> counts; // the last dimension of its loop: the others follow from it
};

/// `mix`: rows and inner dimensions may share a loop (there is no reduction).
Loops planLoops(plan::KernelOp kernel, const ein::IterationSpace &alignment, bool mix);

/// Where values are wanted: an index per loop, and `width` lanes along the loop `vector`, of which the first `active`
/// exist (the others may hold anything).
struct Point {
  llvm::SmallVector<mlir::Value> index;
  int vector = -1;
  int64_t width = 1, active = 1;

  Lanes lanes() const { return vector < 0 ? Lanes{} : Lanes{width, active}; }
  Lanes allLanes() const { return vector < 0 ? Lanes{} : Lanes{width, width}; }
};

/// One axis of an access: a dimension of the domain, or an index that was read (an index value).
struct AxisIndex {
  int dim = -1;
  mlir::Value index;
};

/// Emits the values of a kernel's equations at points; each becomes a vector only if it differs between lanes.
class PointwiseEmitter {
public:
  PointwiseEmitter(KernelWriter &writer, const ein::IterationSpace &alignment, Loops loops)
      : writer(writer), alignment(alignment), loops(std::move(loops)), b(writer.b) {}

  /// The value of an equation of the group.
  mlir::Value valueOf(mlir::Operation *equation, const Point &point);
  /// The value that operand `operand` of an equation has at a point of the equation.
  mlir::Value operandOf(mlir::Operation *equation, unsigned operand, const Point &point);
  /// Stores to the kernel's output that the equation defines; adds to it if `add` (an i1) is given and holds.
  void store(mlir::Operation *equation, mlir::Value value, const Point &point, mlir::Value add = {});
  /// What the accumulator of a reduction holds, in the type that it sums in; of a vacant one anything.
  mlir::Value load(plc::ein::ReduceOp reduce, const Point &point);

  void broadcast(mlir::Value &value, const Point &point);

  /// Values known for a row (results of reductions) or a block; valueOf looks here first.
  llvm::DenseMap<mlir::Operation *, mlir::Value> rowValues, blockValues;

  /// A row kept for later phases: in scratch of the inner loops' size, or in the output (null memory).
  struct Kept {
    mlir::Value scratch;
    unsigned fromPhase;
  };
  llvm::DenseMap<mlir::Operation *, Kept> kept;
  unsigned phase = 0;
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
