// How long to sleep between two looks at what nobody wakes for.
#ifndef PLC_RUNTIME_BACKOFF_H
#define PLC_RUNTIME_BACKOFF_H

#include "Trace.h"

#include <algorithm>
#include <thread>

namespace plc::runtime {

/// A sixteenth of what has been waited for, so that a wait is late by a few percent of itself and who waits takes little
/// of a core: from 5 us to 200 us.
inline int64_t nextSleepNs(int64_t waitedNs) { return std::clamp<int64_t>(waitedNs / 16, 5'000, 200'000); }

/// Of one wait, from when it is made.
class Backoff {
public:
  void sleep() const {
    int64_t waited = Trace::now() - begin;
    if (waited < yieldNs)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::nanoseconds(nextSleepNs(waited)));
  }

private:
  static constexpr int64_t yieldNs = 20'000;
  int64_t begin = Trace::now();
};

} // namespace plc::runtime

#endif
