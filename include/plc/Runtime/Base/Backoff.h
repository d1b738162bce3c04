// How long to sleep between two looks at an event that wakes nobody.
#ifndef PLC_RUNTIME_BASE_BACKOFF_H
#define PLC_RUNTIME_BASE_BACKOFF_H

#include "plc/Runtime/Base/Trace.h"

#include <algorithm>
#include <thread>

namespace plc::runtime {

/// The duration of a wait that recurs in each run.
class WaitPace {
public:
  void took(int64_t ns) {
    before = last;
    last = ns;
  }
  /// The shorter of the last two: a single long wait (a busy machine) must not make the next one late. 0: unknown.
  int64_t expectedNs() const { return std::min(last, before); }

private:
  int64_t last = 0, before = 0;
};

/// Nanoseconds to sleep between two looks, after `waitedNs`. It trades lateness against CPU time:
/// - A sixteenth of the time waited so far, from 5 us to 200 us. So a wait is late by a few percent of itself.
/// - While a wait is expected to take long: naps of an eighth of the expectation, 200 us to 2 ms. Each look costs as
///   much as waking a core, but messages of others may need some.
/// - A thirty-second before the expected end all begins anew, with a 128th of the expectation if that is more than 5
///   us.
/// - Where several workers share a CPU, each sleeps as many times as long, up to 200 us. Together they then look as
///   often as one alone.
/// The result on CPU time of waiting processes is in bench/results.csv (bench/mpi.py).
inline int64_t nextSleepNs(int64_t waitedNs, int64_t expectedNs = 0, int64_t workersPerCpu = 1) {
  constexpr int64_t alertNs = 200'000, napNs = 2'000'000;
  int64_t awakeNs = expectedNs - expectedNs / 32;
  if (waitedNs + alertNs < awakeNs)
    return std::clamp(std::min(expectedNs / 8, awakeNs - waitedNs), alertNs, napNs);
  int64_t leastNs = std::clamp<int64_t>(expectedNs / 128, 5'000, alertNs);
  int64_t alone = std::clamp<int64_t>((waitedNs - std::min(awakeNs, waitedNs)) / 16, leastNs, alertNs);
  return std::min(workersPerCpu * alone, alertNs);
}

/// One wait, from its construction on: yields at first, then sleeps.
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

  /// Nanoseconds of yielding before the first sleep: about the time to sleep and to be woken.
  static constexpr int64_t yieldNs = 50'000;

private:
  int64_t begin = Trace::now();
};

} // namespace plc::runtime

#endif
