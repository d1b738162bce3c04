// A loop of independent chains of fma, timed on several threads.
#include "plc/Runtime/Base/FmaPeak.h"

#include "plc/Runtime/Base/CpuFeatures.h"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <numeric>
#include <thread>
#include <vector>

namespace plc::runtime {

namespace {

constexpr int64_t chains = 12;     // more than 8: a latency of 4 cycles times two units
constexpr int64_t rounds = 200000; // about half a millisecond: short, so that some trial is undisturbed

/// Twelve independent vectors, each a long chain of fma, which inline assembly keeps in registers. A macro, because a
/// function's target decides which registers its assembly may name.
#define PLC_FMA_LOOP(name, features, T, bytes, instruction)                                                            \
  [[gnu::target(features)]] void name() {                                                                              \
    typedef T Vector __attribute__((vector_size(bytes)));                                                              \
    Vector a{}, c0{}, c1{}, c2{}, c3{}, c4{}, c5{}, c6{}, c7{}, c8{}, c9{}, c10{}, c11{};                              \
    for (int64_t round = 0; round < rounds; ++round)                                                                   \
      asm volatile(instruction                                                                                         \
                   " %12, %12, %0\n" instruction " %12, %12, %1\n" instruction " %12, %12, %2\n" instruction           \
                   " %12, %12, %3\n" instruction " %12, %12, %4\n" instruction " %12, %12, %5\n" instruction           \
                   " %12, %12, %6\n" instruction " %12, %12, %7\n" instruction " %12, %12, %8\n" instruction           \
                   " %12, %12, %9\n" instruction " %12, %12, %10\n" instruction " %12, %12, %11\n"                     \
                   : "+v"(c0), "+v"(c1), "+v"(c2), "+v"(c3), "+v"(c4), "+v"(c5), "+v"(c6), "+v"(c7), "+v"(c8),         \
                     "+v"(c9), "+v"(c10), "+v"(c11)                                                                    \
                   : "v"(a));                                                                                          \
  }

PLC_FMA_LOOP(wide32, "avx512f", float, 64, "vfmadd231ps")
PLC_FMA_LOOP(wide64, "avx512f", double, 64, "vfmadd231pd")
PLC_FMA_LOOP(narrow32, "avx2,fma", float, 32, "vfmadd231ps")
PLC_FMA_LOOP(narrow64, "avx2,fma", double, 32, "vfmadd231pd")
#undef PLC_FMA_LOOP

/// Chooses the loop by the type of the first argument.
auto loopOf(float, bool wide) { return wide ? wide32 : narrow32; }
auto loopOf(double, bool wide) { return wide ? wide64 : narrow64; }

/// CPU time of this thread. Time while it is descheduled does not count, so a busy machine does not lower the result.
double threadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Loops per second, added over threads that loop at the same time.
double loopRate(void (*loop)(), int64_t threads) {
  std::vector<double> rates(static_cast<size_t>(threads));
  std::atomic<int64_t> ready{0};
  auto measure = [&](size_t thread) {
    // All threads start together, so that they share the machine for the whole measurement.
    ready.fetch_add(1);
    while (ready.load() < threads)
      std::this_thread::yield();
    double start = threadSeconds();
    loop();
    rates[thread] = 1 / (threadSeconds() - start);
  };
  std::vector<std::thread> others;
  for (size_t thread = 1; thread < rates.size(); ++thread)
    others.emplace_back(measure, thread);
  measure(0);
  for (std::thread &other : others)
    other.join();
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

} // namespace

double measureFmaPeak(ElementType real, int64_t threads) {
  bool wide = cpuHasFeature("avx512f");
  if (!wide && !(cpuHasFeature("avx2") && cpuHasFeature("fma")))
    return 0;
  auto loop = visitReal(real, [&](auto traits) { return loopOf(typename decltype(traits)::Value(), wide); });
  double best = 0;
  for (int trial = 0; trial < 9; ++trial) {
    size_t elements = (wide ? 64 : 32) / byteWidth(real); // of a vector
    double operations = 2.0 * static_cast<double>(elements) * static_cast<double>(chains * rounds);
    best = std::max(best, operations * loopRate(loop, threads));
  }
  return best;
}

} // namespace plc::runtime
