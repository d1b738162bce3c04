//===- MicroBatches.h - how many samples a micro-batch has ------*- C++ -*-===//
#ifndef PLC_DIALECT_EIN_MICROBATCHES_H
#define PLC_DIALECT_EIN_MICROBATCHES_H

#include "plc/Dialect/Ein/Ein.h"

namespace plc::ein {

/// The cut of a batch of samples in `count` micro-batches; `ragged` as in `ein.model`.
struct MicroBatches {
  int64_t batch, count, ragged;

  /// Whether micro-batches have different numbers of samples, for which `ragged` may stand.
  bool isRagged() const { return count > 0 && count < batch && batch % count != 0 && ragged > batch / count; }

  /// Of a micro-batch, if the cut is ragged. One of the step (-1) counts as the first.
  int64_t samplesOf(int64_t microBatch) const { return batch / count + (microBatch < batch % count); }
  int64_t firstOf(int64_t microBatch) const {
    return microBatch * (batch / count) + std::min(microBatch, batch % count);
  }

  /// A type as it is in a micro-batch.
  mlir::RankedTensorType typeIn(int64_t microBatch, mlir::Type type) const;
  /// Elements of a tensor in all micro-batches before this one, if they lie one behind the other.
  int64_t elementsBefore(int64_t microBatch, mlir::Type type) const;
};

/// The type with `samples` on every axis of extent `ragged`.
mlir::RankedTensorType withSamples(mlir::Type type, int64_t ragged, int64_t samples);

/// Gives every type and domain of a function, a body or a kernel, `samples` for the extent `ragged`.
void setSamples(mlir::FunctionOpInterface function, int64_t ragged, int64_t samples);

} // namespace plc::ein

#endif
