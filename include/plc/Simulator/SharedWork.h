//===- SharedWork.h - work that several workers share -----------*- C++ -*-===//
#ifndef PLC_SIMULATOR_SHAREDWORK_H
#define PLC_SIMULATOR_SHAREDWORK_H

#include <cstdint>

namespace plc::simulator {

/// Time of work that is divided into chunks. The threads of its rank share it, each taking whole chunks; idle workers
/// of other ranks may help.
struct SharedWork {
  int64_t ns = 0;        ///< on the threads of the rank
  int64_t dividedNs = 0; ///< of `ns`: what workers of other ranks can share
  int64_t leastNs = 0;   ///< with any number of helpers
  int64_t kernels = 0;   ///< kernels that can be shared; each wakes the sleeping workers

  void operator+=(const SharedWork &other) {
    ns += other.ns;
    dividedNs += other.dividedNs;
    leastNs += other.leastNs;
    kernels += other.kernels;
  }
  /// Fractions of `ns`.
  float dividedPart() const { return ns ? static_cast<float>(dividedNs) / static_cast<float>(ns) : 0; }
  float leastPart() const { return ns ? static_cast<float>(leastNs) / static_cast<float>(ns) : 1; }
};

/// The threads of a rank, and the time in which one wakes another.
struct RankThreads {
  int64_t count = 1;
  double wakeNs = 0;
};

/// The work of a kernel that takes one thread `ns`, in `chunks` chunks.
SharedWork shared(int64_t ns, int64_t chunks, const RankThreads &threads);

/// The work of a rank's update, whose chunks are about as long as those of kernels.
SharedWork sharedUpdate(int64_t ns, const RankThreads &threads);

} // namespace plc::simulator

#endif
