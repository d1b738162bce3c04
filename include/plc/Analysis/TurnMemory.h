//===- TurnMemory.h - where the values of a turn lie ------------*- C++ -*-===//
#ifndef PLC_ANALYSIS_TURNMEMORY_H
#define PLC_ANALYSIS_TURNMEMORY_H

#include "plc/Dialect/Plan/Plan.h"

#include <array>

namespace plc::plan {

/// Where the calls of a turn write what they make: an element where the result of the loop collects it, a next carry in
/// turns in one of two buffers, of which the first is the loop's result, all else at an offset that what lives at the
/// same time does not have. Offsets are in bytes, multiples of 64, in the scratch of a kernel of kind `loop`.
struct TurnMemory {
  static constexpr int64_t elsewhere = -1;

  int64_t bytes = 0;
  /// Of these, the ones that are reached in micro-batches with fewer than `samples`; as many if none have fewer.
  int64_t fewerBytes = 0, samples = 0;
  llvm::SmallVector<int64_t> made; ///< of each result of each call, in order; elsewhere: no value of its own
  llvm::SmallVector<std::array<int64_t, 2>> buffers; ///< of each carry; elsewhere: in an operand, or not needed
};

/// The memory that a kernel of kind `loop` needs for a turn, whether it has its scratch yet or not.
TurnMemory placeTurn(KernelOp kernel);

/// Whether the elements of a value that a loop reads lie one behind the other, or, of a slice, those of each part.
bool isOnePiece(mlir::Value operand, bool isSlice);

/// Which result of the kernel a result of its loop is; nothing if it is none.
std::optional<int64_t> resultOf(KernelOp kernel, mlir::Value given);

/// The place among the loop's elements of a value that a turn gives and a result of the kernel collects.
std::optional<int64_t> collectedAs(KernelOp kernel, mlir::Value made);

} // namespace plc::plan

#endif
