//===- BatchAxes.h - which axes run along the batch -------------*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_BATCH_BATCHAXES_H
#define PLC_LIB_ALGEBRA_BATCH_BATCHAXES_H

#include "plc/Dialect/Ein/MicroBatches.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace plc::algebra {

/// Finds the axes that run along the batch. Axes of values and dimensions of equations that are indexed alike are one
/// set, through calls and bodies. The sets that hold a batch axis of the model's arguments run along the batch.
/// Union-find with union by size.
class BatchAxes {
public:
  explicit BatchAxes(ein::ModelOp model);

  /// Adds the batch axes that results declare. A model that only draws has no batched argument.
  void addResults();

  /// Whether this axis of a value, or this dimension of an equation, runs along the batch.
  bool isBatch(mlir::Value value, int64_t axis) const;
  bool isBatchDim(mlir::Operation *op, int64_t dim) const;
  /// Whether any axis of the value runs along the batch.
  bool isBatched(mlir::Value value) const;

  /// Reports an error for each violation:
  /// - a batch axis in a parameter, in an index, in an argument without samples, or read at positions that a tensor
  ///   holds;
  /// - a batch axis that is split, merged, shifted, or iterated by a loop;
  /// - two batch axes in one equation;
  /// - a result whose batch axis is not the declared one.
  llvm::LogicalResult check();

  /// Marks the batch axis in every type (`#ein.batch`).
  void mark() const;

private:
  /// The node of axis or dimension `index` of a value or an equation.
  unsigned node(const void *owner, int64_t index);
  std::optional<unsigned> find(const void *owner, int64_t index) const;
  unsigned root(unsigned node) const;
  void unify(unsigned a, unsigned b);
  void unifyValues(mlir::Value a, mlir::Value b);
  /// Unifies a value of all iterations, which has one axis more in front, with that of one iteration.
  void unifyPart(mlir::Value stacked, mlir::Value part);
  void visit(mlir::Operation *op, mlir::SymbolTableCollection &symbols);
  void visitLoop(ein::LoopOp loop);
  llvm::LogicalResult checkEquation(ein::Equation op);
  llvm::LogicalResult checkView(mlir::Operation *view);
  llvm::LogicalResult checkPlace(ein::InsertSliceOp place);
  llvm::LogicalResult checkLoop(ein::LoopOp loop);
  llvm::LogicalResult checkModel();
  mlir::RankedTensorType markedType(mlir::Value value) const;

  ein::ModelOp model;
  llvm::DenseMap<std::pair<const void *, int64_t>, unsigned> nodes;
  // Smaller sets hang below larger ones, so that no path to a root is long.
  std::vector<unsigned> parents, sizes;
  llvm::DenseSet<unsigned> batch; // roots
};

/// Checks that sums over the batch reach the model's results through linear equations only. Returns the quotients of
/// such a sum by a sum of inputs alone: a batch that is cut must divide by the sum over all of it.
llvm::FailureOr<llvm::SmallVector<mlir::Operation *>> checkBatchRule(ein::ModelOp model, const BatchAxes &axes,
                                                                     int64_t microBatches);

/// Values that are sums over the batch and linear in those of the samples: in every call of their body, or only in some
/// calls.
struct PartialSums {
  llvm::DenseSet<mlir::Value> everywhere, somewhere;
};
PartialSums findPartialSums(ein::ModelOp model, const BatchAxes &axes);

/// Makes the sums over the batch the last step to the model's results. The equations between compute them for each
/// sample, so that no order of additions depends on micro-batches. A sum stays where its samples would need more memory
/// than what it sums, and where a loop, a view or a position reads it. The batch rule must hold.
void sumSamplesLast(ein::ModelOp model, const BatchAxes &axes);

/// Makes the divisors of `quotients` sums over the whole batch, of further arguments of the model (`#ein.whole`). Must
/// run before the batch is marked: the divisors are of all samples in each micro-batch.
void divideByWhole(ein::ModelOp model, const BatchAxes &axes, llvm::ArrayRef<mlir::Operation *> quotients);

} // namespace plc::algebra

#endif
