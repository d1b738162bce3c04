//===- SharedWork.h - what several workers do together ----------*- C++ -*-===//
#ifndef PLC_SIMULATOR_SHAREDWORK_H
#define PLC_SIMULATOR_SHAREDWORK_H

#include <cstdint>

namespace plc::simulator {

/// Work that is divided in chunks, and shared by the threads of its rank, each a whole chunk at a time.
struct SharedWork {
  int64_t ns = 0;
  int64_t dividedNs = 0; ///< of `ns` that other ranks' workers can take a share of
  int64_t leastNs = 0;   ///< however many do
  int64_t kernels = 0;   ///< that they can help with, each of which wakes whoever sleeps

  void operator+=(const SharedWork &other) {
    ns += other.ns;
    dividedNs += other.dividedNs;
    leastNs += other.leastNs;
    kernels += other.kernels;
  }
  float dividedPart() const { return ns ? static_cast<float>(dividedNs) / static_cast<float>(ns) : 0; }
  float leastPart() const { return ns ? static_cast<float>(leastNs) / static_cast<float>(ns) : 1; }
};

/// The threads of a rank, and what it takes one to wake another.
struct RankThreads {
  int64_t count = 1;
  double wakeNs = 0;
};

/// A kernel that one thread computes in so long.
SharedWork shared(int64_t ns, int64_t chunks, const RankThreads &threads);

/// The same of a rank's update, whose chunks are about as long as those of kernels (Runtime/Optimizer.h).
SharedWork sharedUpdate(int64_t ns, const RankThreads &threads);

} // namespace plc::simulator

#endif
