// Decides that a rank hangs.
#ifndef PLC_LIB_RUNTIME_EXECUTE_WATCHDOG_H
#define PLC_LIB_RUNTIME_EXECUTE_WATCHDOG_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace plc::runtime {

/// Decides from samples that a rank hangs. A rank that does not wait for another hangs if, for the whole timeout,
/// - neither its counter nor its CPU time advanced: it sleeps; or
/// - its counter did not advance, while it took more CPU time than the timeout and than 20 times the slowest run of the
///   same kernel: it spins. A kernel that has not run before may take any time.
/// A gap in the watchdog's own clock (the machine slept, or was too busy to look) restarts the count. The class reads
/// no clock, so tests give it any time.
class Watchdog {
public:
  /// The state of a rank at one moment.
  struct Sample {
    bool waits = false;   // for another rank, or it does not run
    uint64_t counter = 0; // Rank::progress()
    int64_t cpuNs = 0;
    int64_t slowestNs = 0; // of the same kernel; 0: it has not run before
  };

  /// Wants samples about every tickNs().
  explicit Watchdog(int64_t timeoutNs) : timeoutNs(timeoutNs) {}
  int64_t tickNs() const;

  /// The index of the first rank that hangs; `now` in ns of a steady clock.
  std::optional<size_t> look(int64_t now, const std::vector<Sample> &ranks);

private:
  struct State {
    Sample last;
    int64_t busySince = 0;  // when counter or CPU time last advanced
    int64_t countedCpu = 0; // CPU time when the counter last advanced
  };
  bool hangs(const Sample &sample, State &state, int64_t now) const;

  int64_t timeoutNs, lastLook = 0;
  std::vector<State> states;
};

} // namespace plc::runtime

#endif
