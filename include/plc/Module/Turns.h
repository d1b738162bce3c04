//===- Turns.h - loops: kernels that call others ----------------*- C++ -*-===//
#ifndef PLC_MODULE_TURNS_H
#define PLC_MODULE_TURNS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace plc::module {

/// A location that moves with the iterations: `offset + iteration * perTurn` bytes behind an operand of the loop.
struct TurnPlace {
  int64_t operand = 0, offset = 0, perTurn = 0;
  bool operator==(const TurnPlace &) const = default;
};

/// The location of a step's operand: in the iteration that runs first; in the second, fourth, ..; in the third, fifth,
/// ... A value that an iteration takes from the one before lies elsewhere in the first, and may alternate between two
/// buffers.
using TurnOperand = std::array<TurnPlace, 3>;

/// A call of another kernel in each iteration.
struct StepInfo {
  int64_t kernel = 0; // index in the manifest's list, before the loop
  std::vector<TurnOperand> operands;
};

/// A copy after the last iteration, for a result that is also an element of another result.
struct EndInfo {
  TurnPlace from, to; // in the iteration that runs last
  int64_t bytes = 0;
};

/// A loop: steps in sequence, repeated. A kernel with a loop has no code of its own.
struct LoopInfo {
  int64_t turns = 1;
  bool reverse = false;       // the iteration with the highest number runs first
  std::vector<int64_t> bytes; // of each operand
  std::vector<StepInfo> steps;
  std::vector<EndInfo> ends;

  /// The number of the iteration that runs after `count` others.
  int64_t turnAt(int64_t count) const { return reverse ? turns - 1 - count : count; }
};

/// The address of a location in iteration `turn`.
inline void *addressOf(const TurnPlace &place, void *const *operands, int64_t turn) {
  return static_cast<std::byte *>(operands[place.operand]) + place.offset + turn * place.perTurn;
}
/// The address of a step's operand in iteration `turn`, after `count` others.
inline void *addressOf(const TurnOperand &operand, void *const *operands, int64_t count, int64_t turn) {
  return addressOf(operand[static_cast<size_t>(count == 0 ? 0 : 2 - count % 2)], operands, turn);
}

} // namespace plc::module

#endif
