//===- Turns.h - a kernel that calls others, turn by turn -------*- C++ -*-===//
#ifndef PLC_MODULE_TURNS_H
#define PLC_MODULE_TURNS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace plc::module {

/// A place that moves with the turns: `offset + turn * perTurn` bytes behind an operand of the loop.
struct TurnPlace {
  int64_t operand = 0, offset = 0, perTurn = 0;
  bool operator==(const TurnPlace &) const = default;
};

/// Where an operand of a step lies: in the turn that runs first, in the second, fourth .., and in the third, fifth ..
/// What a turn reads of the one before lies elsewhere in the first, and may lie in one of two buffers.
using TurnOperand = std::array<TurnPlace, 3>;

/// A call of another kernel in each turn.
struct StepInfo {
  int64_t kernel = 0; // of the manifest's, before the loop
  std::vector<TurnOperand> operands;
};

/// What is copied behind the last turn: a result that is also an element of another.
struct EndInfo {
  TurnPlace from, to; // of the turn that runs last
  int64_t bytes = 0;
};

struct LoopInfo {
  int64_t turns = 1;
  bool reverse = false;       // the turn of the highest number runs first
  std::vector<int64_t> bytes; // of each operand
  std::vector<StepInfo> steps;
  std::vector<EndInfo> ends;

  /// The number of the turn before which `count` others have run.
  int64_t turnAt(int64_t count) const { return reverse ? turns - 1 - count : count; }
};

inline void *addressOf(const TurnPlace &place, void *const *operands, int64_t turn) {
  return static_cast<std::byte *>(operands[place.operand]) + place.offset + turn * place.perTurn;
}
/// Of an operand of a step in the turn before which `count` others have run.
inline void *addressOf(const TurnOperand &operand, void *const *operands, int64_t count, int64_t turn) {
  return addressOf(operand[static_cast<size_t>(count == 0 ? 0 : 2 - count % 2)], operands, turn);
}

} // namespace plc::module

#endif
