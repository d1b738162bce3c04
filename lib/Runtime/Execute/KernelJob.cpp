// Claims of chunks, by the owner and by helpers.
#include "KernelJob.h"

#include <algorithm>

namespace plc::runtime {

void KernelJob::begin(const KernelRun &newRun, bool shared) {
  run = newRun;
  failed.store(false, std::memory_order_relaxed);
  next.store(0, std::memory_order_relaxed);
  end.store(run.chunks, std::memory_order_relaxed);
  if (shared)
    open.store(true); // releases all of the above
}

int64_t KernelJob::work(plc_kernel_context &context) {
  int64_t computed = 0;
  while (int64_t count = claim(context))
    computed += count;
  // Close before busy() is asked. Only the owner writes `open`, so it may read it relaxed.
  if (open.load(std::memory_order_relaxed))
    open.store(false);
  return computed;
}

KernelJob::Help KernelJob::help(plc_kernel_context &context) {
  Help help;
  // Enter first, then look: see the class comment.
  inside.fetch_add(1);
  if (open.load()) {
    help.chunks = claim(context);
    help.name = run.name;
    help.microBatch = run.microBatch;
  }
  helped.fetch_add(help.chunks, std::memory_order_relaxed);
  // The last one out of a closed job wakes the owner, which may sleep.
  help.last = inside.fetch_sub(1) == 1 && !open.load();
  return help;
}

/// Guided self-scheduling (Polychronopoulos and Kuck, 1987), with bounds: a claim is a share of what is left, so claims
/// shrink toward the end and workers finish together. Neighbouring chunks are claimed together because they share
/// packed panels, and take less time together than apart.
int64_t KernelJob::claimed(int64_t rest) const {
  // Not tuned: large enough that neighbours share panels, small enough that a claim stays below half a millisecond.
  constexpr int64_t most = 4;
  // Half of an even share: the rest evens out workers that come late or are slower.
  int64_t share = run.sharers > 1 ? rest / (2 * run.sharers) : rest;
  return std::min(rest, std::clamp(share, run.grain, most * run.grain));
}

/// Returns the number of chunks; 0 if none are left, a chunk failed or the run was stopped.
int64_t KernelJob::claim(plc_kernel_context &context) {
  if (stop.load(std::memory_order_relaxed) || failed.load(std::memory_order_relaxed))
    return 0;
  // Compare and swap, because the size of a claim depends on where it begins.
  int64_t begin = next.load(std::memory_order_relaxed), count;
  do {
    if (begin >= run.chunks)
      return 0;
    count = claimed(run.chunks - begin);
  } while (!next.compare_exchange_weak(begin, begin + count, std::memory_order_relaxed));
  claims.fetch_add(1, std::memory_order_relaxed);
  if (run.function(run.operands, begin, begin + count, run.accumulate, &context) != 0)
    report(context);
  return count;
}

void KernelJob::report(const plc_kernel_context &context) {
  std::lock_guard lock(faultMutex);
  // Several workers may fail at once: the lowest position makes the error deterministic.
  if (!failed.load() || context.fault_position < firstFault.position)
    firstFault = {context.fault_gather, context.fault_position, context.fault_value};
  failed = true;
}

} // namespace plc::runtime
