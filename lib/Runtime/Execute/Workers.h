// The threads of a session: they execute ranks and help each other.
#ifndef PLC_LIB_RUNTIME_EXECUTE_WORKERS_H
#define PLC_LIB_RUNTIME_EXECUTE_WORKERS_H

#include "KernelJob.h"
#include "plc/Runtime/Base/Backoff.h"
#include "plc/Runtime/Base/Trace.h"

#include <ctime>
#include <memory>
#include <vector>

namespace plc::runtime {

/// How long the chunks of a kernel take on this machine, measured by its last run.
struct ChunkTiming {
  double nsPerChunk = 0;             // 0: not known yet
  std::atomic<int64_t> slowestNs{0}; // of its runs
};

struct WorkerOptions {
  int64_t threadsPerRank = 1;
  int64_t spinNs = 20000;   // an idle worker looks again for so long before it sleeps
  int64_t processes = 1;    // with as many workers each on the same CPUs, this one included
  bool shareKernels = true; // no: a rank's first worker computes its kernels alone (bench/helping.py)
};

/// The threads of a session. Worker 0 of each rank executes the rank's actions. A worker with nothing to do claims
/// chunks of any rank's kernel.
///
/// Threads are not pinned, because two programs that each pin to the first core share it. The system's scheduler keeps
/// a worker per core where there are cores.
class Workers {
public:
  class Worker;

  Workers(size_t numRanks, const WorkerOptions &options, const StopFlag &stop);
  ~Workers();
  Workers(const Workers &) = delete;

  size_t count() const { return workers.size(); }
  size_t threadsPerRank() const { return perRank; }
  /// Whether an idle worker looks again for a while before it sleeps.
  bool spins() const { return spinNs > 0; }

  /// Makes the calling thread worker `index`, with the floating-point environment of kernels: round to nearest,
  /// denormals kept, no traps.
  Worker &enter(size_t index);

  /// Computes all chunks of a kernel of the worker's rank; false if it failed or the run was stopped. Claims take about
  /// 100 us by `timing`, and up to four times as much while many chunks are left.
  bool run(Worker &worker, KernelRun run, ChunkTiming &timing);
  const KernelJob &job(size_t rank) const { return *jobs[rank]; }

  /// Returns when done() is true, and helps meanwhile. The thread that makes it true must call wake() afterwards.
  template <class Done>
  void wait(Worker &worker, Done done) {
    while (!done())
      if (!help(worker))
        idle(worker, [&] { return done() || offered(); });
  }
  /// The same if no thread may call wake(). Looks at done() all the time at first, then each time that no other thread
  /// wants the CPU, then less and less often (Backoff.h). `expectedNs`: how long the wait will take; 0: unknown.
  template <class Done>
  void poll(Worker &worker, Done done, int64_t expectedNs) {
    for (int64_t begin = Trace::now(); !done();) {
      if (help(worker)) {
        // It computed: the expectation counted from the begin of the wait.
        expectedNs = 0;
        begin = Trace::now();
        continue;
      }
      int64_t waited = Trace::now() - begin;
      if (waited < spinNs) {
        pause();
        continue;
      }
      if (waited < Backoff::yieldNs) {
        std::this_thread::yield();
        continue;
      }
      uint32_t seen = prepareSleep(worker);
      if (offered() || done())
        cancelSleep(worker);
      else
        sleep(worker, seen, nextSleepNs(waited, expectedNs, workersPerCpu));
    }
  }
  /// Wakes the worker that executes the rank's actions.
  void wake(size_t rank);
  void wakeAll();

  /// CPU time in ns that was spent for each rank. The time of a worker since the last sample counts for the rank whose
  /// kernel it computes now, else for its own if it executes that rank's actions. So it is exact only as far as samples
  /// are frequent.
  const std::vector<int64_t> &sampleCpuTime();

  /// From now on the rank's worker records in `trace` the chunks that it computes for others.
  void traceHelp(size_t rank, Trace *trace);

private:
  /// Computes one claim of any rank's kernel, its own rank's first; false if there was none.
  bool help(Worker &worker);
  bool helpRank(Worker &worker, size_t rank);
  bool offered() const;
  /// Spins, then sleeps, until done() may be true.
  template <class Done>
  void idle(Worker &worker, Done done) const {
    for (int64_t begin = spinNs ? Trace::now() : 0; spinNs && Trace::now() - begin < spinNs; pause())
      if (done())
        return;
    uint32_t seen = prepareSleep(worker);
    if (done())
      cancelSleep(worker);
    else
      sleep(worker, seen);
  }
  static void pause();
  /// See Workers.cpp for the protocol: prepareSleep, check the condition again, then sleep or cancelSleep.
  static uint32_t prepareSleep(Worker &worker);
  static void cancelSleep(Worker &worker);
  /// Until woken, or for so many ns; 0: without limit.
  static void sleep(Worker &worker, uint32_t seen, int64_t mostNs = 0);
  static void wake(Worker &worker);
  static void rouse(Worker &worker);
  /// Wakes at most so many sleeping workers.
  void wakeIdle(int64_t most);

  size_t perRank;
  bool shares;
  int64_t spinNs, workersPerCpu;                // the second over all processes, at least 1
  std::vector<std::unique_ptr<Worker>> workers; // perRank of rank 0, perRank of rank 1, ..
  std::vector<std::unique_ptr<KernelJob>> jobs; // by rank
  std::vector<int64_t> cpuTime;                 // by rank, at the last sample
};

} // namespace plc::runtime

#endif
