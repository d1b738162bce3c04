// A histogram of durations, whose median needs no list of them.
#ifndef PLC_LIB_RUNTIME_BASE_TIMECOUNTS_H
#define PLC_LIB_RUNTIME_BASE_TIMECOUNTS_H

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace plc::runtime {

/// Counts of durations in ns. Each power of two is divided into 32 bins, so a median is right within 1.6 %. Plain
/// bytes, so that ranks can send it. Durations above 18 minutes count as that.
class TimeCounts {
public:
  void add(int64_t ns) { ++counts[indexOf(std::clamp<int64_t>(ns, 0, longest))]; }

  void add(const TimeCounts &other) {
    for (size_t i = 0; i < counts.size(); ++i)
      counts[i] += other.counts[i];
  }

  /// The middle of the bin that the median lies in; 0 without durations.
  int64_t median() const {
    uint64_t all = 0, below = 0;
    for (uint32_t count : counts)
      all += count;
    size_t index = 0;
    while (index + 1 < counts.size() && (below += counts[index]) * 2 < all)
      ++index;
    return all ? (beginOf(index) + beginOf(index + 1)) / 2 : 0;
  }

private:
  static constexpr int parts = 32; // bins of a power of two: half a bin is 1.6 %
  static constexpr int64_t longest = (int64_t(1) << 40) - 1;

  static int shiftOf(int64_t ns) {
    return std::max(0, static_cast<int>(std::bit_width(static_cast<uint64_t>(ns))) - 6);
  }
  /// The bin of a duration; beginOf is the inverse.
  static size_t indexOf(int64_t ns) {
    int shift = shiftOf(ns);
    return static_cast<size_t>(shift * parts + (ns >> shift));
  }
  static int64_t beginOf(size_t index) {
    auto at = static_cast<int64_t>(index);
    int64_t shift = std::max<int64_t>(0, at / parts - 1);
    return (at - shift * parts) << shift;
  }

  std::array<uint32_t, (40 - 6) * parts + 2 * parts> counts{};
};

} // namespace plc::runtime

#endif
