//===- MicroBatches.h - samples of micro-batches ----------------*- C++ -*-===//
#ifndef PLC_DIALECT_EIN_MICROBATCHES_H
#define PLC_DIALECT_EIN_MICROBATCHES_H

#include "plc/Dialect/Ein/Ein.h"
#include "plc/Support/SummedBatch.h"

namespace plc::ein {

/// The cut of a batch of samples in `count` micro-batches (0: not cut yet), and of these in `groups` accumulation
/// groups: runs of equally many micro-batches, whose sums are added in order.
struct MicroBatches {
  int64_t batch, count, groups = 1;

  /// Whether micro-batches have different numbers of samples. Then types have batch axes.
  bool isRagged() const { return count > 0 && batch % count != 0; }
  /// The number of samples of the larger micro-batches.
  int64_t mostSamples() const { return samplesOf(0); }
  /// The number of samples of a micro-batch, and its first sample. Micro-batch -1, that of the step, counts as the
  /// first.
  int64_t samplesOf(int64_t microBatch) const { return batch / count + (microBatch < batch % count); }
  int64_t firstOf(int64_t microBatch) const {
    return microBatch * (batch / count) + std::min(microBatch, batch % count);
  }

  int64_t groupOf(int64_t microBatch) const { return microBatch * groups / count; }

  /// Checks, with errors at `op`, that each micro-batch has a sample, and that groups have equally many micro-batches.
  llvm::LogicalResult verify(mlir::Operation *op) const;
  /// Checks that arguments or results of a program have the extents and batch axes of this cut. `batch` lists their
  /// axes along the batch (-1: none).
  llvm::LogicalResult verifyTypes(mlir::Operation *op, llvm::StringRef what, mlir::ArrayAttr names,
                                  llvm::ArrayRef<mlir::Type> types, llvm::ArrayRef<int64_t> batch) const;
  /// The type that a value has in a micro-batch.
  mlir::RankedTensorType typeIn(int64_t microBatch, mlir::Type type) const;
  /// The elements of a tensor in all micro-batches before this one, if they are stored one behind the other.
  int64_t elementsBefore(int64_t microBatch, mlir::Type type) const;
};

MicroBatches cutOf(ModelOp model);

/// Whether a number is a valid entry of `arg_batch` or `result_batch`: an axis of the tensor, -1, or that of a sum over
/// samples, if that may occur.
bool isBatchNumber(int64_t batch, mlir::Type type, bool maySum);
/// The batch axis that such an entry names: axis 0 of a sum over samples.
inline std::optional<int64_t> namedAxis(int64_t batch) {
  return batch >= 0 ? std::optional(batch) : batch == summedBatch ? std::optional<int64_t>(0) : std::nullopt;
}

/// Whether the model's types are those of the whole batch, although its micro-batches are counted already.
bool isUncut(ModelOp model);
/// Gives types and domains of such a module the samples of a micro-batch. Types keep their batch axes only in a ragged
/// cut.
void cutBatch(ModelOp model);

/// A tensor type with this batch axis, or with none.
mlir::RankedTensorType tensorType(llvm::ArrayRef<int64_t> shape, mlir::Type element, std::optional<int64_t> batchAxis);

/// The dimension of an equation's domain that indexes the batch axes of its operands and result; nullopt if none has
/// one.
std::optional<int64_t> batchDimOf(Equation equation);

/// Whether an operand or a result has a batch axis, so that larger micro-batches mean more work.
bool dependsOnBatch(mlir::Operation *op);

/// The number of samples in the larger micro-batches, of a type that has one less in the others; nullopt for other
/// types.
std::optional<int64_t> mostSamplesOf(mlir::Type type);

/// The type with `samples` along its batch axis, which it then has no longer; of scratch, the elements that these need.
mlir::RankedTensorType withSamples(mlir::Type type, int64_t samples);

/// Gives every type and domain of a function, a body or a kernel `samples` along the batch.
void setSamples(mlir::FunctionOpInterface function, int64_t samples);

} // namespace plc::ein

#endif
