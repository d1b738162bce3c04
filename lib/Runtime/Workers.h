// The threads that compute one rank's kernels.
#ifndef PLC_RUNTIME_WORKERS_H
#define PLC_RUNTIME_WORKERS_H

#include "Channel.h"
#include "plc/Runtime/KernelABI.h"

#include <memory>
#include <thread>

namespace plc::runtime {

/// The calling thread and count-1 helpers share the chunks of a kernel; each claims a run of them at a time. Which
/// thread computes a chunk does not change a bit.
class Workers {
public:
  Workers(int64_t count, const StopFlag &stop);
  ~Workers();
  Workers(const Workers &) = delete;

  struct Fault {
    int64_t gather, position, value;
  };

  /// Computes all chunks of a kernel; false if it failed (fault() tells) or the run was stopped. Always called by the
  /// same thread.
  bool run(plc_kernel_fn function, void *const *operands, int64_t chunks, int32_t accumulate);

  /// Of the last run: the fault at the lowest position, if a kernel reported one.
  const Fault *fault() const { return failed ? &firstFault : nullptr; }

  /// Sets the floating-point environment of the calling thread: round to nearest, denormals kept, no traps.
  static void setFloatingPointEnvironment();

private:
  struct Context; // a plc_kernel_context and its rntm_t
  void help(size_t index);
  void work(Context &context);
  void report(const plc_kernel_context &context);

  const StopFlag &stop;
  std::vector<std::unique_ptr<Context>> contexts;
  std::vector<std::thread> helpers;

  plc_kernel_fn function = nullptr;
  void *const *operands = nullptr;
  int64_t chunks = 0, grain = 1;
  int32_t accumulate = 0;

  alignas(64) std::atomic<int64_t> next{0};
  alignas(64) std::atomic<uint32_t> generation{0}; // of jobs; helpers wait for it to change
  alignas(64) std::atomic<uint32_t> busy{0};       // helpers still at the job
  std::atomic<bool> leaving{false}, failed{false};
  std::mutex faultMutex;
  Fault firstFault{};
};

} // namespace plc::runtime

#endif
