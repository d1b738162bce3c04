//===- IterationMemory.h - buffers of a loop's iteration -------------*- C++ -*-===//
#ifndef PLC_ANALYSIS_ITERATIONMEMORY_H
#define PLC_ANALYSIS_ITERATIONMEMORY_H

#include "plc/Dialect/Plan/Plan.h"

#include <array>

namespace plc::plan {

/// Where the calls of an iteration write their results. A stacked element is written to the loop's result. A next carry
/// goes alternately to one of two buffers, of which the first is the loop's result. Other values have offsets in the
/// kernel's scratch, disjoint while they live. Offsets are in bytes, multiples of 64.
struct IterationMemory {
  static constexpr int64_t elsewhere = -1;

  int64_t bytes = 0;
  /// Bytes that micro-batches with fewer than `samples` samples use; equal to `bytes` if none have fewer.
  int64_t fewerBytes = 0, samples = 0;
  llvm::SmallVector<int64_t> made; ///< offset of each call's result, in order; elsewhere: not in scratch
  llvm::SmallVector<std::array<int64_t, 2>>
      buffers; ///< offsets of each carry's buffers; elsewhere: an operand, or none
};

/// The buffers of an iteration of a kernel of kind `loop`, whether it has its scratch yet or not.
IterationMemory layOutIteration(KernelOp kernel);

/// Whether a value that a loop reads is contiguous; of a slice each part.
bool isOnePiece(mlir::Value operand, bool isSlice);

/// The result of the kernel that a result of its loop is; nullopt if none.
std::optional<int64_t> resultOf(KernelOp kernel, mlir::Value given);

/// The index, among the loop's stacked elements, of a value that a result of the kernel collects.
std::optional<int64_t> collectedAs(KernelOp kernel, mlir::Value made);

} // namespace plc::plan

#endif
