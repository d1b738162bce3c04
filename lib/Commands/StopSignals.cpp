// Handlers that record the first signal.
#include "StopSignals.h"

#include <atomic>

namespace plc::runtime {

namespace {

std::atomic<int> kept = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a handler of signals may not wait");

/// Only lock-free operations: it runs inside a signal handler.
void keepFirst(int signal) {
  if (kept.exchange(signal) == 0)
    return;
  std::signal(signal, SIG_DFL);
  std::raise(signal); // takes effect when the handler returns
}

void keep(int signal, struct sigaction &before) {
  sigaction(signal, nullptr, &before);
  if (before.sa_handler == SIG_IGN)
    return;
  struct sigaction action = {};
  action.sa_handler = keepFirst;
  // Reads and writes of the run must not fail because of the signal.
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

} // namespace

StopSignals::StopSignals() {
  kept = 0;
  for (size_t i = 0; i < numbers.size(); ++i)
    keep(numbers[i], before[i]);
}

StopSignals::~StopSignals() {
  for (size_t i = 0; i < numbers.size(); ++i)
    sigaction(numbers[i], &before[i], nullptr);
  if (int signal = kept; signal && !wasSeen)
    std::raise(signal);
}

int StopSignals::seen() {
  int signal = kept;
  wasSeen = signal != 0;
  return signal;
}

} // namespace plc::runtime
