//===- MicroBatches.h - how many samples a micro-batch has ------*- C++ -*-===//
#ifndef PLC_DIALECT_EIN_MICROBATCHES_H
#define PLC_DIALECT_EIN_MICROBATCHES_H

#include "plc/Dialect/Ein/Ein.h"
#include "plc/Support/SummedBatch.h"

namespace plc::ein {

/// The cut of a batch of samples in `count` micro-batches (0: it is not cut yet), and of these in `lanes`: runs of equally
/// many, whose sums are added in their order.
struct MicroBatches {
  int64_t batch, count, lanes = 1;

  /// Whether micro-batches have different numbers of samples. Types then have batch axes.
  bool isRagged() const { return count > 0 && batch % count != 0; }
  /// Samples of the larger ones.
  int64_t mostSamples() const { return samplesOf(0); }
  /// Of a micro-batch. One of the step (-1) counts as the first.
  int64_t samplesOf(int64_t microBatch) const { return batch / count + (microBatch < batch % count); }
  int64_t firstOf(int64_t microBatch) const {
    return microBatch * (batch / count) + std::min(microBatch, batch % count);
  }

  int64_t laneOf(int64_t microBatch) const { return microBatch * lanes / count; }

  /// Checks, with errors at `op`, that each micro-batch has a sample, and each lane equally many micro-batches.
  llvm::LogicalResult verify(mlir::Operation *op) const;
  /// Checks that arguments or results of a program, of which `batch` lists the axes along the batch (-1: none), have the
  /// extent and the batch axis that the cut gives them.
  llvm::LogicalResult verifyTypes(mlir::Operation *op, llvm::StringRef what, mlir::ArrayAttr names,
                                  llvm::ArrayRef<mlir::Type> types, llvm::ArrayRef<int64_t> batch) const;
  /// A type as it is in a micro-batch.
  mlir::RankedTensorType typeIn(int64_t microBatch, mlir::Type type) const;
  /// Elements of a tensor in all micro-batches before this one, if they lie one behind the other.
  int64_t elementsBefore(int64_t microBatch, mlir::Type type) const;
};

MicroBatches cutOf(ModelOp model);

/// Whether a number says which axis of a tensor is the batch: one that it has, -1, or that it sums its samples, if it may.
bool isBatchNumber(int64_t batch, mlir::Type type, bool maySum);
/// The axis of the batch that an element of `arg_batch` or `result_batch` names: axis 0 of a summed one.
inline std::optional<int64_t> namedAxis(int64_t batch) {
  return batch >= 0 ? std::optional(batch) : batch == summedBatch ? std::optional<int64_t>(0) : std::nullopt;
}

/// Whether the model's types are those of the whole batch, which they mark, though its micro-batches are counted.
bool isUncut(ModelOp model);
/// Gives types and domains of such a module the samples of a micro-batch, and marks in types only where these differ.
void cutBatch(ModelOp model);

/// A tensor type with this batch axis, or with none.
mlir::RankedTensorType tensorType(llvm::ArrayRef<int64_t> shape, mlir::Type element, std::optional<int64_t> batchAxis);

/// The dimension of an equation's domain that indexes the batch axes of its operands and result, if they have any.
std::optional<int64_t> batchDimOf(Equation equation);

/// Whether an operand or a result has a batch axis, so that micro-batches of unequal size give it other work.
bool dependsOnBatch(mlir::Operation *op);

/// The samples of the larger micro-batches, of a type that has one less in the others.
std::optional<int64_t> mostSamplesOf(mlir::Type type);

/// The type with `samples` along its batch axis, which it is then no more, or as much room as these need: the number is known.
mlir::RankedTensorType withSamples(mlir::Type type, int64_t samples);

/// Gives every type and domain of a function, a body or a kernel, `samples` along the batch.
void setSamples(mlir::FunctionOpInterface function, int64_t samples);

} // namespace plc::ein

#endif
