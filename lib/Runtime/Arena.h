// The memory of one rank: a fresh mapping, painted, so that what was written can be measured.
#ifndef PLC_RUNTIME_ARENA_H
#define PLC_RUNTIME_ARENA_H

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

private:
  std::byte *base;
  size_t mapped, guarded;
};

} // namespace plc::runtime

#endif
