// The memory of one rank, painted so that the written bytes can be measured.
#ifndef PLC_LIB_RUNTIME_EXECUTE_ARENA_H
#define PLC_LIB_RUNTIME_EXECUTE_ARENA_H

#include "plc/Support/ElementType.h"

#include <cstddef>
#include <cstdint>

namespace plc::runtime {

/// The arena of one rank: one mapping of the planned size, allocated before the run. It never grows. The constructor
/// writes a pattern, the paint, to every word. So the highest byte that a run wrote can be found afterwards. An
/// unmapped page behind the arena iterations an access beyond its end into a fault.
class Arena {
public:
  /// Maps `bytes`, rounded up to pages, with an unmapped page behind. Throws std::bad_alloc.
  explicit Arena(int64_t bytes);
  ~Arena();
  Arena(const Arena &) = delete;

  /// `offset` in bytes from the start of the arena; not checked.
  std::byte *at(int64_t offset) const { return base + offset; }

  /// Bytes up to the end of the highest 64-byte line that a run wrote; 0 if none. Read from the mapping alone, so the
  /// plan cannot bias the number. It may exceed the planned bytes by the rest of the last page.
  int64_t measuredBytes() const;

  /// The values that a check writes over live or dead bytes.
  enum class Fill : uint8_t { NaN, MinusInfinity, Zero, Flipped };
  /// Overwrites `bytes` at `offset`, a multiple of 8, with elements of the real type `real`. NaN: signalling NaNs,
  /// which exceed every extent if they are read as indices. Flipped: inverts the sign and the highest exponent bit of
  /// each element, so 0 becomes -2. The first call freezes measuredBytes(), because it writes bytes that no run wrote.
  void overwrite(int64_t offset, int64_t bytes, ElementType real, Fill fill);

private:
  std::byte *base;
  size_t mapped, guarded;     // bytes: whole pages of the arena; the same and the guard page
  int64_t writtenBefore = -1; // measuredBytes() at the first overwrite; -1: there was none
};

} // namespace plc::runtime

#endif
