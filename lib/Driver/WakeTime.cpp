//===- WakeTime.cpp - what it takes a thread to wake another ----------------===//
#include "WakeTime.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int rounds = 101;
constexpr size_t lineFloats = 16;
// After so long the other thread sleeps, and its processor with it, as that of a rank that waits for a task.
constexpr auto asleep = std::chrono::milliseconds(1);

} // namespace

double plc::driver::measureWakeNs() {
  std::atomic<int> round{0}, seen{0};
  std::vector<Clock::time_point> woken(rounds);
  std::thread sleeper([&] {
    for (int i = 0; i < rounds; ++i) {
      round.wait(i);
      woken[i] = Clock::now();
      seen.store(i + 1);
    }
  });
  std::vector<float> elsewhere(1 << 20); // what a task leaves in the caches is not what waking needs
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    for (auto begin = Clock::now(); Clock::now() - begin < asleep;)
      for (size_t line = 0; line < elsewhere.size(); line += lineFloats)
        elsewhere[line] += 1;
    auto begin = Clock::now();
    round.store(i + 1);
    round.notify_one();
    while (seen.load() <= i)
      continue; // giving the processor away would let the other thread run here
    times.push_back(std::chrono::duration<double, std::nano>(woken[i] - begin).count());
  }
  sleeper.join();
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  // Where it takes longer, other work has the processors.
  return std::min(times[rounds / 2], 2e5);
}
