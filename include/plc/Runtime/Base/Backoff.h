// How long to sleep between two looks at what nobody wakes for.
#ifndef PLC_RUNTIME_BASE_BACKOFF_H
#define PLC_RUNTIME_BASE_BACKOFF_H

#include "plc/Runtime/Base/Trace.h"

#include <algorithm>
#include <thread>

namespace plc::runtime {

/// How long a wait took that comes again in each run.
class WaitPace {
public:
  void took(int64_t ns) {
    before = last;
    last = ns;
  }
  /// The less of the last two; 0: not known.
  int64_t expectedNs() const { return std::min(last, before); }

private:
  int64_t last = 0, before = 0;
};

/// A sixteenth of what has been waited for, so that a wait is late by a few percent of itself and who waits takes little
/// of a core: from 5 us to 200 us. Of a wait that is expected to take long most is slept in naps of an eighth of it, at most two
/// milliseconds, for each look costs what waking a core does, but messages of others may need some. Shortly before the expected end
/// all begins anew, with a 128th of what is expected if that is more than 5 us. Where several workers share a CPU each sleeps as
/// many times as long, up to 200 us: all their looks together then take no more of it than one's.
inline int64_t nextSleepNs(int64_t waitedNs, int64_t expectedNs = 0, int64_t workersPerCpu = 1) {
  constexpr int64_t alertNs = 200'000, napNs = 2'000'000;
  int64_t awakeNs = expectedNs - expectedNs / 32;
  if (waitedNs + alertNs < awakeNs)
    return std::clamp(std::min(expectedNs / 8, awakeNs - waitedNs), alertNs, napNs);
  int64_t leastNs = std::clamp<int64_t>(expectedNs / 128, 5'000, alertNs);
  int64_t alone = std::clamp<int64_t>((waitedNs - std::min(awakeNs, waitedNs)) / 16, leastNs, alertNs);
  return std::min(workersPerCpu * alone, alertNs);
}

/// Of one wait, from when it is made.
class Backoff {
public:
  void sleep(int64_t expectedNs = 0) const {
    int64_t waited = waitedNs();
    if (waited < yieldNs)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::nanoseconds(nextSleepNs(waited, expectedNs)));
  }

  int64_t waitedNs() const { return Trace::now() - begin; }

  /// About what it takes to sleep and to be woken.
  static constexpr int64_t yieldNs = 50'000;

private:
  int64_t begin = Trace::now();
};

} // namespace plc::runtime

#endif
