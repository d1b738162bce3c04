// The threads of one session: those that execute a rank's actions, and those that only help.
#ifndef PLC_LIB_RUNTIME_EXECUTE_WORKERS_H
#define PLC_LIB_RUNTIME_EXECUTE_WORKERS_H

#include "KernelJob.h"
#include "plc/Runtime/Base/Backoff.h"
#include "plc/Runtime/Base/Trace.h"

#include <ctime>
#include <memory>
#include <vector>

namespace plc::runtime {

/// How long a kernel's chunks take here.
struct ChunkTiming {
  double nsPerChunk = 0;             // 0: not known yet
  std::atomic<int64_t> slowestNs{0}; // of its runs
};

struct WorkerOptions {
  int64_t threadsPerRank = 1;
  int64_t spinNs = 20000;   // how long a worker with nothing to do looks again before it sleeps
  int64_t processes = 1;    // that have as many workers on the same CPUs, with this one
  bool shareKernels = true; // no: each kernel is computed by its rank's first worker (bench/helping.py)
};

/// Worker 0 of each rank executes the rank's actions; a worker with nothing to do claims chunks of any rank's kernel.
///
/// Threads are not pinned: two programs that each pin to "the first core" share it. The kernel's scheduler keeps a worker
/// per core where there are cores.
class Workers {
public:
  class Worker;

  Workers(size_t numRanks, const WorkerOptions &options, const StopFlag &stop);
  ~Workers();
  Workers(const Workers &) = delete;

  size_t count() const { return workers.size(); }
  size_t threadsPerRank() const { return perRank; }
  /// Whether a worker with nothing to do looks again for a while before it sleeps.
  bool spins() const { return spinNs > 0; }

  /// Makes the calling thread worker `index`, with its floating-point environment: round to nearest, denormals kept, no
  /// traps.
  Worker &enter(size_t index);

  /// Computes all chunks of a kernel of the worker's rank; false if it failed or the run was stopped. Claims are
  /// of about 100 us as `timing` knows it, and of up to four times as much while much is left.
  bool run(Worker &worker, KernelRun run, ChunkTiming &timing);
  const KernelJob &job(size_t rank) const { return *jobs[rank]; }

  /// Returns when done() is true; whoever makes it true calls wake() afterwards. Helps meanwhile.
  template <class Done>
  void wait(Worker &worker, Done done) {
    while (!done())
      if (!help(worker))
        idle(worker, [&] { return done() || offered(); });
  }
  /// The same where not everybody calls wake(): looks at done() all the time at first, then whenever nobody else wants the
  /// CPU, then less and less often (Backoff.h).
  /// expectedNs: how long it will take; 0: not known.
  template <class Done>
  void poll(Worker &worker, Done done, int64_t expectedNs) {
    for (int64_t begin = Trace::now(); !done();) {
      if (help(worker)) {
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

  /// CPU time in ns that was spent for each rank, as far as calls of this tell: what a worker took since the last call
  /// counts for the rank whose kernel it computes now, or for its own if it executes that one's actions.
  const std::vector<int64_t> &sampleCpuTime();

  /// From now on records in `trace` what the rank's worker helps with.
  void traceHelp(size_t rank, Trace *trace);

private:
  bool help(Worker &worker);
  bool helpRank(Worker &worker, size_t rank);
  bool offered() const;
  /// Spins or sleeps until done() may be true.
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
  static uint32_t prepareSleep(Worker &worker);
  static void cancelSleep(Worker &worker);
  /// Until woken, or so many ns; 0: for ever.
  static void sleep(Worker &worker, uint32_t seen, int64_t mostNs = 0);
  static void wake(Worker &worker);
  static void rouse(Worker &worker);
  void wakeIdle(int64_t most);

  size_t perRank;
  bool shares;
  int64_t spinNs, workersPerCpu;                // of all processes; at least 1
  std::vector<std::unique_ptr<Worker>> workers; // perRank of rank 0, perRank of rank 1, ..
  std::vector<std::unique_ptr<KernelJob>> jobs; // by rank
  std::vector<int64_t> cpuTime;                 // by rank, at the last sample
};

} // namespace plc::runtime

#endif
