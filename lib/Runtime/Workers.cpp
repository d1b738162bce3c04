#include "Workers.h"

#include <algorithm>
#include <immintrin.h>

#include <blis.h>

namespace plc::runtime {

struct Workers::Context {
  rntm_t rntm;
  plc_kernel_context kernel{};

  Context() {
    // One thread, and no small-matrix kernels: their order of sums is not the defined one.
    bli_rntm_init(&rntm);
    bli_rntm_set_num_threads(1, &rntm);
    bli_rntm_disable_l3_sup(&rntm);
    kernel.rntm = &rntm;
  }
};

void Workers::setFloatingPointEnvironment() { _mm_setcsr(0x1f80); }

Workers::Workers(int64_t count, const StopFlag &stop) : stop(stop) {
  bli_init();
  for (int64_t i = 0; i < count; ++i)
    contexts.push_back(std::make_unique<Context>());
  for (size_t i = 1; i < contexts.size(); ++i)
    helpers.emplace_back([this, i] { help(i); });
}

Workers::~Workers() {
  leaving = true;
  generation.fetch_add(1);
  generation.notify_all();
  for (std::thread &helper : helpers)
    helper.join();
}

bool Workers::run(plc_kernel_fn newFunction, void *const *newOperands, int64_t newChunks, int32_t newAccumulate) {
  function = newFunction;
  operands = newOperands;
  chunks = newChunks;
  accumulate = newAccumulate;
  failed.store(false, std::memory_order_relaxed);
  next.store(0, std::memory_order_relaxed);
  auto count = static_cast<int64_t>(contexts.size());
  // A quarter of an even share: few claims, little left at the end.
  grain = count == 1 ? chunks : std::max<int64_t>(1, chunks / (4 * count));
  if (count == 1 || chunks == 1) {
    work(*contexts[0]);
  } else {
    busy.store(static_cast<uint32_t>(helpers.size()), std::memory_order_relaxed);
    generation.fetch_add(1, std::memory_order_release);
    generation.notify_all();
    work(*contexts[0]);
    for (uint32_t left = busy.load(std::memory_order_acquire); left; left = busy.load(std::memory_order_acquire))
      busy.wait(left, std::memory_order_acquire);
  }
  return !failed.load() && !stop.load();
}

void Workers::help(size_t index) {
  setFloatingPointEnvironment();
  for (uint32_t seen = 0;; ++seen) {
    generation.wait(seen, std::memory_order_acquire);
    if (leaving)
      return;
    work(*contexts[index]);
    if (busy.fetch_sub(1, std::memory_order_acq_rel) == 1)
      busy.notify_one();
  }
}

void Workers::work(Context &context) {
  while (!stop.load(std::memory_order_relaxed)) {
    int64_t begin = next.fetch_add(grain, std::memory_order_relaxed);
    if (begin >= chunks)
      return;
    if (function(operands, begin, std::min(begin + grain, chunks), accumulate, &context.kernel) != 0)
      return report(context.kernel);
  }
}

void Workers::report(const plc_kernel_context &context) {
  std::lock_guard lock(faultMutex);
  if (!failed.load() || context.fault_position < firstFault.position)
    firstFault = {context.fault_gather, context.fault_position, context.fault_value};
  failed = true;
}

} // namespace plc::runtime
