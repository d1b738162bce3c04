// A running kernel, whose chunks any worker may claim.
#ifndef PLC_LIB_RUNTIME_EXECUTE_KERNELJOB_H
#define PLC_LIB_RUNTIME_EXECUTE_KERNELJOB_H

#include "plc/Runtime/KernelABI.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace plc::runtime {

/// Set by the first error; every wait ends when it is, and no further chunk is claimed.
using StopFlag = std::atomic<bool>;

/// One call of a kernel.
struct KernelRun {
  plc_kernel_fn function = nullptr;
  void *const *operands = nullptr;
  int64_t chunks = 1;
  int64_t grain = 1; // chunks of a claim, at least
  int32_t accumulate = 0;
  const std::string *name = nullptr; // for traces
  int64_t microBatch = 0;
  int64_t sharers = 1; // workers that may claim
};

/// Each rank has one job, used again for each of its kernels. The owner begins it, works, and waits while it is busy;
/// meanwhile others may help. Who computes a chunk does not change a bit.
///
/// Helpers enter before they look whether the job is open, the owner closes it before it looks whether anybody is
/// inside: one of the two sees the other, so `run` is never written while a helper reads it.
class KernelJob {
public:
  explicit KernelJob(const StopFlag &stop) : stop(stop) {}

  struct GatherError {
    int64_t gather, position, value;
  };

  /// Owner: `shared` offers the chunks to others.
  void begin(const KernelRun &run, bool shared);
  /// Owner: computes until no chunk is left to claim, then closes the job; the chunks that it computed.
  int64_t work(plc_kernel_context &context);
  /// Owner: whether helpers are still at their last chunks.
  bool busy() const { return inside.load(std::memory_order_acquire) != 0; }
  /// Owner, when not busy: whether all chunks are computed; if not, fault() may tell why.
  bool succeeded() const { return !failed.load() && !stop.load(); }
  /// The fault at the lowest position: chunks are claimed in order, so it does not depend on who computes.
  const GatherError *fault() const { return failed.load() ? &firstFault : nullptr; }

  struct Help {
    int64_t chunks = 0;                // computed; 0 if nothing was left
    bool last = false;                 // the owner may wait for this helper
    const std::string *name = nullptr; // of the kernel
    int64_t microBatch = 0;
  };
  /// Others: claims once and computes.
  Help help(plc_kernel_context &context);
  /// A hint: help() would find a chunk.
  bool offers() const {
    return open.load(std::memory_order_acquire) &&
           next.load(std::memory_order_relaxed) < end.load(std::memory_order_relaxed);
  }

  /// Grows with each claim, whoever makes it.
  uint64_t numClaims() const { return claims.load(std::memory_order_relaxed); }
  /// Chunks that others computed.
  int64_t numHelped() const { return helped.load(std::memory_order_relaxed); }

private:
  int64_t claim(plc_kernel_context &context);
  int64_t claimed(int64_t rest) const;
  void report(const plc_kernel_context &context);

  const StopFlag &stop;
  KernelRun run;
  alignas(64) std::atomic<int64_t> next{0};
  std::atomic<int64_t> end{0};
  std::atomic<uint64_t> claims{0};
  alignas(64) std::atomic<uint32_t> inside{0};
  std::atomic<bool> open{false}, failed{false};
  std::atomic<int64_t> helped{0};
  std::mutex faultMutex;
  GatherError firstFault{};
};

} // namespace plc::runtime

#endif
