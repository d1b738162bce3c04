// SIGINT, SIGTERM and SIGHUP end a run that saves in order.
#ifndef PLC_LIB_COMMANDS_STOPSIGNALS_H
#define PLC_LIB_COMMANDS_STOPSIGNALS_H

#include <array>
#include <csignal>

namespace plc::runtime {

/// While it lives, the first of these signals is recorded, so that the run can end its step and save. A second one ends
/// the process at once. A signal that the process ignores stays ignored. One object at a time.
class StopSignals {
public:
  StopSignals();
  /// Restores the handlers. A signal that came and was not seen has its usual effect now.
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;

  /// The signal that has come, else 0.
  int seen();
  /// The run stops because of another process's signal: this process's own needs no answer any more.
  void settle() { wasSeen = true; }

  /// SIGHUP: the terminal was closed, or the connection to it lost.
  static constexpr std::array numbers = {SIGINT, SIGTERM, SIGHUP};

private:
  std::array<struct sigaction, numbers.size()> before;
  bool wasSeen = false;
};

} // namespace plc::runtime

#endif
