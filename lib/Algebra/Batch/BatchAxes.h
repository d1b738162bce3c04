//===- BatchAxes.h - which axes run along the batch -------------*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_BATCH_BATCHAXES_H
#define PLC_LIB_ALGEBRA_BATCH_BATCHAXES_H

#include "plc/Dialect/Ein/MicroBatches.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace plc::algebra {

/// Unifies the axes of all values and the dimensions of all equations that are indexed alike, through calls and
/// bodies; those unified with a batch axis of the model's arguments run along the batch.
class BatchAxes {
public:
  explicit BatchAxes(ein::ModelOp model);

  /// Results that are declared so are indexed by the batch, too, whether or not an argument is: of a model that only draws, none is.
  void addResults();

  bool isBatch(mlir::Value value, int64_t axis) const;
  bool isBatchDim(mlir::Operation *op, int64_t dim) const;
  /// Whether any axis of the value runs along the batch.
  bool isBatched(mlir::Value value) const;

  /// Errors: an axis of the batch in a parameter, an index, an un-batched argument, or at positions that tensors hold;
  /// split or merged; two of them in one equation; a batch axis of a result that is none.
  llvm::LogicalResult check();

  /// Makes types say where the batch is.
  void mark() const;

private:
  unsigned node(const void *owner, int64_t index);
  std::optional<unsigned> find(const void *owner, int64_t index) const;
  unsigned root(unsigned node) const;
  void unify(unsigned a, unsigned b);
  void unifyValues(mlir::Value a, mlir::Value b);
  void unifyPart(mlir::Value stacked, mlir::Value part);
  void visit(mlir::Operation *op, mlir::SymbolTableCollection &symbols);
  void visitLoop(ein::LoopOp loop);
  llvm::LogicalResult checkEquation(ein::Equation op);
  llvm::LogicalResult checkView(mlir::Operation *view);
  llvm::LogicalResult checkPlace(ein::PlaceOp place);
  llvm::LogicalResult checkLoop(ein::LoopOp loop);
  llvm::LogicalResult checkModel();
  mlir::RankedTensorType markedType(mlir::Value value) const;

  ein::ModelOp model;
  llvm::DenseMap<std::pair<const void *, int64_t>, unsigned> nodes;
  // Smaller sets hang below larger ones, so that no way to a root is long.
  std::vector<unsigned> parents, sizes;
  llvm::DenseSet<unsigned> batch; // roots
};

/// Checks that sums over the batch go to the model's results through linear equations only. Gives the quotients of such a
/// sum and one that inputs alone make, which a cut batch has to divide by a sum over all of it.
llvm::FailureOr<llvm::SmallVector<mlir::Operation *>> checkBatchRule(ein::ModelOp model, const BatchAxes &axes,
                                                                     int64_t microBatches);

/// Values that are sums over the batch, linear in those of the samples, wherever their bodies are called; and those that are only
/// by some calls.
struct PartialSums {
  llvm::DenseSet<mlir::Value> everywhere, somewhere;
};
PartialSums findPartialSums(ein::ModelOp model, const BatchAxes &axes);

/// Makes what the model's results sum over the batch their last step: the equations between compute it for each sample, so that
/// no order of additions depends on micro-batches. Leaves a sum that would need more room than what it sums, and what
/// a loop or a position reads. The batch rule holds.
void sumSamplesLast(ein::ModelOp model, const BatchAxes &axes);

/// Makes the divisors of `quotients` sums over the whole batch, of further arguments of the model (see WholeInput.h). The
/// batch is not cut yet; what is made here is not.
void divideByWhole(ein::ModelOp model, const BatchAxes &axes, llvm::ArrayRef<mlir::Operation *> quotients);

} // namespace plc::algebra

#endif
