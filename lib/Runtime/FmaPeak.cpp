#include "FmaPeak.h"

#include "plc/Runtime/CpuFeatures.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace plc::runtime {

namespace {

constexpr int64_t chains = 12; // more than latency 4 times two units
constexpr int64_t rounds = 200000;

/// `chains` independent vectors, each a long chain of fma; the empty asm keeps them in registers.
template <class Vector> [[gnu::always_inline]] inline void runChains() {
  Vector a{}, b{}, c[chains] = {};
  asm volatile("" : "+v"(a), "+v"(b));
  for (int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int64_t i = 0; i < chains; ++i)
      if constexpr (sizeof(Vector) == 64 && sizeof(a[0]) == 4)
        asm volatile("vfmadd231ps %1, %2, %0" : "+v"(c[i]) : "v"(a), "v"(b));
      else if constexpr (sizeof(Vector) == 64)
        asm volatile("vfmadd231pd %1, %2, %0" : "+v"(c[i]) : "v"(a), "v"(b));
      else if constexpr (sizeof(a[0]) == 4)
        asm volatile("vfmadd231ps %1, %2, %0" : "+x"(c[i]) : "x"(a), "x"(b));
      else
        asm volatile("vfmadd231pd %1, %2, %0" : "+x"(c[i]) : "x"(a), "x"(b));
  }
}

template <class T, int bytes> struct VectorOf {
  typedef T type __attribute__((vector_size(bytes)));
};

[[gnu::target("avx512f")]] void wide32() { runChains<VectorOf<float, 64>::type>(); }
[[gnu::target("avx512f")]] void wide64() { runChains<VectorOf<double, 64>::type>(); }
[[gnu::target("avx2,fma")]] void narrow32() { runChains<VectorOf<float, 32>::type>(); }
[[gnu::target("avx2,fma")]] void narrow64() { runChains<VectorOf<double, 32>::type>(); }

double secondsOf(void (*loop)(), int64_t threads) {
  std::atomic<int64_t> ready{0};
  std::vector<std::thread> others;
  auto meet = [&] {
    ready.fetch_add(1);
    while (ready.load() < threads)
      std::this_thread::yield();
    loop();
  };
  for (int64_t i = 1; i < threads; ++i)
    others.emplace_back(meet);
  auto start = std::chrono::steady_clock::now();
  meet();
  for (std::thread &other : others)
    other.join();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

double measureFmaPeak(ElementType real, int64_t threads) {
  bool wide = cpuHasFeature("avx512f"), single = real == ElementType::F32;
  if (!wide && !(cpuHasFeature("avx2") && cpuHasFeature("fma")))
    return 0;
  auto loop = wide ? (single ? wide32 : wide64) : (single ? narrow32 : narrow64);
  double best = 0;
  for (int trial = 0; trial < 9; ++trial) {
    auto elements = static_cast<double>((wide ? 64 : 32) / byteWidth(real));
    double operations = 2.0 * elements * static_cast<double>(chains * rounds * threads);
    best = std::max(best, operations / secondsOf(loop, threads));
  }
  return best;
}

} // namespace plc::runtime
