//===- ThreadTimes.cpp - what threads cost each other ---------------------===//
#include "ThreadTimes.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>
#include <numeric>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int rounds = 101;
constexpr size_t lineFloats = 16;
// After so long the other thread sleeps, and its processor with it, as that of a rank that waits for a task.
constexpr auto asleep = std::chrono::milliseconds(1);

/// Multiplies and adds in the second cache, as kernels do, at the widest vectors, whose clock is the lowest.
#define PLC_BUSY_LOOP(name, features)                                                                                  \
  [[gnu::target(features), gnu::noinline]] void name(std::vector<float> &values) {                                     \
    for (int turn = 0; turn < 400; ++turn)                                                                             \
      for (float &value : values)                                                                                      \
        value = (((value * 1.0001f + 0.5f) * 0.999f + 0.25f) * 1.0001f - 0.5f) * 0.999f - 0.25f;                       \
  }
PLC_BUSY_LOOP(busy512, "avx512f")
PLC_BUSY_LOOP(busy256, "avx2,fma")
PLC_BUSY_LOOP(busyPlain, "sse2")
#undef PLC_BUSY_LOOP

/// Seconds of the loop on this thread, without those for which others have its core.
double secondsOfLoop() {
  auto loop = __builtin_cpu_supports("avx512f")                                 ? busy512
              : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? busy256
                                                                                : busyPlain;
  auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
  };
  std::vector<float> values(size_t(1) << 16, 1.0f);
  double begin = now();
  loop(values);
  return now() - begin;
}

/// The same on so many threads at once, their mean.
double secondsOfLoops(int64_t threads) {
  std::vector<double> seconds(static_cast<size_t>(threads));
  std::atomic<int64_t> ready{0};
  std::vector<std::thread> all;
  for (double &each : seconds)
    all.emplace_back([&] {
      ready.fetch_add(1);
      while (ready.load() < threads)
        std::this_thread::yield();
      each = secondsOfLoop();
    });
  for (std::thread &thread : all)
    thread.join();
  return std::accumulate(seconds.begin(), seconds.end(), 0.0) / double(threads);
}

} // namespace

// In turns, the fastest of each: other work only makes them longer.
double plc::driver::measureSlowdown() {
  constexpr int turns = 3;
  int64_t cores = std::thread::hardware_concurrency();
  if (cores < 2)
    return 1;
  double one = std::numeric_limits<double>::infinity(), all = one;
  for (int turn = 0; turn < turns; ++turn) {
    one = std::min(one, secondsOfLoops(1));
    all = std::min(all, secondsOfLoops(cores));
  }
  return std::clamp(std::pow(all / one, 1 / std::log2(double(cores))), 1.0, 2.0);
}

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
