// The two kinds of hanging: asleep, and spinning.
#include "Watchdog.h"

#include <algorithm>

namespace plc::runtime {

/// Not tuned: a run that is 20 times as long as the slowest one before is no noise of a busy machine.
constexpr int64_t spinFactor = 20;

/// A twentieth of the timeout, so that a hang is reported at most 5 % late; from 10 ms, which costs little, to 1 s.
int64_t Watchdog::tickNs() const { return std::clamp<int64_t>(timeoutNs / 20, 10'000'000, 1'000'000'000); }

std::optional<size_t> Watchdog::look(int64_t now, const std::vector<Sample> &ranks) {
  // Four missed ticks: nothing is known about that time, so no rank may be blamed for it.
  bool gap = states.empty() || now - lastLook > 4 * tickNs();
  lastLook = now;
  if (gap)
    states.assign(ranks.size(), State());
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    State &state = states[rank];
    if (gap)
      state = {ranks[rank], now, ranks[rank].cpuNs};
    else if (hangs(ranks[rank], state, now))
      return rank;
    state.last = ranks[rank];
  }
  return std::nullopt;
}

/// Whether a rank hangs, by this sample and those before.
bool Watchdog::hangs(const Sample &sample, State &state, int64_t now) const {
  // Progress, or a wait for another rank: both counts begin anew.
  if (sample.waits || sample.counter != state.last.counter) {
    state.busySince = now;
    state.countedCpu = sample.cpuNs;
    return false;
  }
  // It computes: not asleep, but it may spin.
  if (sample.cpuNs != state.last.cpuNs)
    state.busySince = now;
  if (now - state.busySince >= timeoutNs)
    return true;
  return sample.slowestNs && sample.cpuNs - state.countedCpu > std::max(timeoutNs, spinFactor * sample.slowestNs);
}

} // namespace plc::runtime
