// A running kernel whose chunks any worker may claim.
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
  int64_t grain = 1;                 // least chunks of a claim
  int32_t accumulate = 0;            // 1: add to the outputs (KernelABI.h)
  const std::string *name = nullptr; // for traces
  int64_t microBatch = 0;
  int64_t sharers = 1; // workers that may claim
};

/// The kernel that a rank runs now. Each rank has one job, reused for each of its kernels. The owner begins it, works,
/// and waits while it is busy; meanwhile other workers may help. The bits do not depend on the worker that computes a
/// chunk.
///
/// Helpers enter before they check that the job is open. The owner closes it before it checks that no helper is inside.
/// Both use sequentially consistent operations, so one of the two sees the other: `run` is never written while a helper
/// reads it.
class KernelJob {
public:
  explicit KernelJob(const StopFlag &stop) : stop(stop) {}

  /// An index out of range, as plc_kernel_context has it.
  struct GatherError {
    int64_t gather, position, value;
  };

  /// Owner: starts a kernel; `shared` offers its chunks to others. Not while busy().
  void begin(const KernelRun &run, bool shared);
  /// Owner: claims and computes until no chunk is left, then closes the job. Returns the number of chunks that it
  /// computed.
  int64_t work(plc_kernel_context &context);
  /// Owner, after work(): whether helpers still compute their last chunks.
  bool busy() const { return inside.load(std::memory_order_acquire) != 0; }
  /// Owner, when not busy: whether all chunks are computed. If not, fault() may have the reason.
  bool succeeded() const { return !failed.load() && !stop.load(); }
  /// The fault at the lowest position; null if no kernel failed. Chunks are claimed in order, so the fault does not
  /// depend on the worker that found it.
  const GatherError *fault() const { return failed.load() ? &firstFault : nullptr; }

  struct Help {
    int64_t chunks = 0;                // computed; 0 if nothing was left
    bool last = false;                 // the owner may wait for this helper
    const std::string *name = nullptr; // of the kernel
    int64_t microBatch = 0;
  };
  /// Other workers: claim once and compute.
  Help help(plc_kernel_context &context);
  /// A hint: help() would find a chunk. It may be outdated at once.
  bool offers() const {
    return open.load(std::memory_order_acquire) &&
           next.load(std::memory_order_relaxed) < end.load(std::memory_order_relaxed);
  }

  /// Grows with each claim of any worker: progress, for the watchdog.
  uint64_t numClaims() const { return claims.load(std::memory_order_relaxed); }
  /// Chunks that helpers computed, in all runs so far.
  int64_t numHelped() const { return helped.load(std::memory_order_relaxed); }

private:
  /// Owner or helper: takes the next chunks and computes them.
  int64_t claim(plc_kernel_context &context);
  /// The size of the next claim, if `rest` chunks are left.
  int64_t claimed(int64_t rest) const;
  /// Keeps the fault of the calling worker if it is at the lowest position.
  void report(const plc_kernel_context &context);

  const StopFlag &stop;
  KernelRun run;
  /// A cache line of its own: every claim writes it, and helpers that only enter or leave must not slow it down.
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
