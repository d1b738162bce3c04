// The memory of one rank: a fresh mapping, painted, so that what was written can be measured.
#ifndef PLC_LIB_RUNTIME_EXECUTE_ARENA_H
#define PLC_LIB_RUNTIME_EXECUTE_ARENA_H

#include "plc/Support/ElementType.h"

#include <cstddef>
#include <cstdint>

namespace plc::runtime {

class Arena {
public:
  /// Maps `bytes`, rounded up to pages, with an unmapped page behind. Throws std::bad_alloc.
  explicit Arena(int64_t bytes);
  ~Arena();
  Arena(const Arena &) = delete;

  std::byte *at(int64_t offset) const { return base + offset; }

  /// End of the highest 64-byte line that no longer holds its paint, up to the end of the mapping: not a number that
  /// the plan could have put there.
  int64_t measuredBytes() const;

  enum class Fill : uint8_t { NaN, MinusInfinity, Zero, Flipped };
  /// Overwrites a place, aligned to 8, as numbers of a real type: with signalling NaNs (as
  /// an index: beyond every extent), -inf or 0, or flips each one's sign and the highest bit of its exponent (0 becomes
  /// -2). What had been written before the first such call is what measuredBytes tells from then on.
  void overwrite(int64_t offset, int64_t bytes, ElementType real, Fill fill);

private:
  std::byte *base;
  size_t mapped, guarded;
  int64_t writtenBefore = -1; // the first overwrite
};

} // namespace plc::runtime

#endif
