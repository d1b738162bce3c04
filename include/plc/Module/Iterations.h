//===- Iterations.h - loops: kernels that call others ----------------*- C++ -*-===//
#ifndef PLC_MODULE_ITERATIONS_H
#define PLC_MODULE_ITERATIONS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace plc::module {

/// A location that moves with the iterations: `offset + iteration * perIteration` bytes behind an operand of the loop.
struct IterationOffset {
  int64_t operand = 0, offset = 0, perIteration = 0;
  bool operator==(const IterationOffset &) const = default;
};

/// The location of a step's operand: in the iteration that runs first; in the second, fourth, ..; in the third, fifth,
/// ... A value that an iteration takes from the one before lies elsewhere in the first, and may alternate between two
/// buffers.
using IterationOperand = std::array<IterationOffset, 3>;

/// A call of another kernel in each iteration.
struct StepInfo {
  int64_t kernel = 0; // index in the manifest's list, before the loop
  std::vector<IterationOperand> operands;
};

/// A copy after the last iteration, for a result that is also an element of another result.
struct EndInfo {
  IterationOffset from, to; // in the iteration that runs last
  int64_t bytes = 0;
};

/// A loop: steps in sequence, repeated. A kernel with a loop has no code of its own.
struct LoopInfo {
  int64_t iterations = 1;
  bool reverse = false;       // the iteration with the highest number runs first
  std::vector<int64_t> bytes; // of each operand
  std::vector<StepInfo> steps;
  std::vector<EndInfo> ends;

  /// The number of the iteration that runs after `count` others.
  int64_t iterationAt(int64_t count) const { return reverse ? iterations - 1 - count : count; }
};

/// The address of a location in iteration `iteration`.
inline void *addressOf(const IterationOffset &place, void *const *operands, int64_t iteration) {
  return static_cast<std::byte *>(operands[place.operand]) + place.offset + iteration * place.perIteration;
}
/// The address of a step's operand in iteration `iteration`, after `count` others.
inline void *addressOf(const IterationOperand &operand, void *const *operands, int64_t count, int64_t iteration) {
  return addressOf(operand[static_cast<size_t>(count == 0 ? 0 : 2 - count % 2)], operands, iteration);
}

} // namespace plc::module

#endif
