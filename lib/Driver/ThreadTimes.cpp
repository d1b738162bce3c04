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

// Wakes that are measured; the odd number has a median. With the pause below they take 0.1 s.
constexpr int rounds = 101;
constexpr size_t lineFloats = 16; // one per cache line of 64 bytes
// After this time the other thread sleeps, and its core with it, as that of a rank that waits for a task.
constexpr auto asleep = std::chrono::milliseconds(1);

/// Multiplies and adds in the second-level cache, as kernels do, with the widest vectors, which run at the lowest
/// clock.
#define PLC_BUSY_LOOP(name, features)                                                                                  \
  [[gnu::target(features), gnu::noinline]] void name(std::vector<float> &values) {                                     \
    for (int round = 0; round < 400; ++round)                                                                          \
      for (float &value : values)                                                                                      \
        value = (((value * 1.0001f + 0.5f) * 0.999f + 0.25f) * 1.0001f - 0.5f) * 0.999f - 0.25f;                       \
  }
PLC_BUSY_LOOP(busy512, "avx512f")
PLC_BUSY_LOOP(busy256, "avx2,fma")
PLC_BUSY_LOOP(busyPlain, "sse2")
#undef PLC_BUSY_LOOP

/// CPU seconds of the loop on this thread; time in which others have its core does not count.
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

/// Mean CPU seconds of the loop on this many threads at once.
double secondsOfLoops(int64_t threads) {
  std::vector<double> seconds(static_cast<size_t>(threads));
  std::atomic<int64_t> ready{0};
  std::vector<std::thread> all;
  for (double &each : seconds)
    all.emplace_back([&] {
      // All start together, so that each core computes while all others do.
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

// Alternates one thread and all, and takes the fastest of each: other work only makes them longer. The ratio of all
// cores is spread evenly over the doublings from one core to all.
double plc::driver::measureSlowdown() {
  constexpr int rounds = 3;
  int64_t cores = std::thread::hardware_concurrency();
  if (cores < 2)
    return 1;
  double one = std::numeric_limits<double>::infinity(), all = one;
  for (int round = 0; round < rounds; ++round) {
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
  std::vector<float> elsewhere(1 << 20); // 4 MiB, so that the caches are as a task leaves them
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    for (auto begin = Clock::now(); Clock::now() - begin < asleep;)
      for (size_t line = 0; line < elsewhere.size(); line += lineFloats)
        elsewhere[line] += 1;
    auto begin = Clock::now();
    round.store(i + 1);
    round.notify_one();
    while (seen.load() <= i)
      continue; // yielding the core would let the other thread run here
    times.push_back(std::chrono::duration<double, std::nano>(woken[i] - begin).count());
  }
  sleeper.join();
  std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
  // A longer time measures other work on the cores. 200 us is a guess at what no wake takes by itself.
  return std::min(times[rounds / 2], 2e5);
}
