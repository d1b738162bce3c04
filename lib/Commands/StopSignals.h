// SIGINT, SIGTERM and SIGHUP while a run saves: the step is ended and saved, so that nothing is lost.
#ifndef PLC_LIB_COMMANDS_STOPSIGNALS_H
#define PLC_LIB_COMMANDS_STOPSIGNALS_H

#include <array>
#include <csignal>

namespace plc::runtime {

/// While it lives, the first of these signals is kept for the run to see; a second one ends the process at once. A signal
/// that the process ignores stays ignored. One object at a time.
class StopSignals {
public:
  StopSignals();
  /// A signal that came and was not seen does what it does otherwise.
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;

  /// The signal that has come, else 0.
  int seen();
  /// The run stops, for another process's signal: this one's own, which may still come, is of no further use.
  void settle() { wasSeen = true; }

  /// SIGHUP comes when a terminal is closed, or the connection to it is lost.
  static constexpr std::array numbers = {SIGINT, SIGTERM, SIGHUP};

private:
  std::array<struct sigaction, numbers.size()> before;
  bool wasSeen = false;
};

} // namespace plc::runtime

#endif
