// How workers share kernels, sleep and wake.
#include "Workers.h"

#include "plc/Runtime/Base/MachineShare.h"

#include <algorithm>
#include <immintrin.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <blis.h>

namespace plc::runtime {

namespace {
/// Nanoseconds that one claim should take: long beside the cost of claiming, short beside a step. Not tuned; measured
/// was only that a slice of an update takes about this long (Optimizer.h).
constexpr double claimNs = 100000;
} // namespace

/// One thread: its BLIS state, its clock, and the word that it sleeps on.
class Workers::Worker {
public:
  explicit Worker(size_t rank) : rank(rank) {
    // BLIS runs on one thread, without its small-matrix kernels: their order of sums is not the defined one.
    bli_rntm_init(&rntm);
    bli_rntm_set_num_threads(1, &rntm);
    bli_rntm_disable_l3_sup(&rntm);
    context.rntm = &rntm;
  }

  rntm_t rntm;
  plc_kernel_context context{};
  const size_t rank;
  Trace *trace = nullptr;
  clockid_t clock{};
  std::atomic<bool> entered{false};      // `clock` is valid
  std::atomic<size_t> helping{SIZE_MAX}; // the rank whose chunk it computes
  int64_t sampled = 0;                   // its CPU time at the last sample
  alignas(64) std::atomic<uint32_t> wakeCount{0};
  std::atomic<bool> asleep{false};
};

Workers::Workers(size_t numRanks, const WorkerOptions &options, const StopFlag &stop)
    : perRank(static_cast<size_t>(options.threadsPerRank)), shares(options.shareKernels), cpuTime(numRanks) {
  bli_init();
  for (size_t rank = 0; rank < numRanks; ++rank) {
    jobs.push_back(std::make_unique<KernelJob>(stop));
    for (size_t i = 0; i < perRank; ++i)
      workers.push_back(std::make_unique<Worker>(rank));
  }
  // No spinning with more workers than usable CPUs: a spinning worker would take a CPU from one that computes.
  double workersHere = static_cast<double>(workers.size()) * static_cast<double>(options.processes);
  double cpus = usableCpus();
  spinNs = workersHere > cpus ? 0 : options.spinNs;
  workersPerCpu = std::max<int64_t>(1, static_cast<int64_t>(workersHere / cpus));
}

Workers::~Workers() = default;

Workers::Worker &Workers::enter(size_t index) {
  Worker &worker = *workers[index];
  ::prctl(PR_SET_TIMERSLACK, 1000); // ns instead of 50 us: poll() sleeps for as little as 5 us
  worker.entered = ::pthread_getcpuclockid(::pthread_self(), &worker.clock) == 0;
  // MXCSR: all exceptions masked, round to nearest, neither flush to zero nor denormals as zero.
  _mm_setcsr(0x1f80);
  return worker;
}

bool Workers::run(Worker &worker, KernelRun run, ChunkTiming &timing) {
  KernelJob &job = *jobs[worker.rank];
  if (timing.nsPerChunk > 0)
    run.grain = std::clamp<int64_t>(static_cast<int64_t>(claimNs / timing.nsPerChunk), 1, run.chunks);
  // One claim has all chunks: waking helpers would cost more than they could save.
  bool shared = run.chunks > run.grain && workers.size() > 1 && shares;
  run.sharers = shared ? static_cast<int64_t>(workers.size()) : 1;
  int64_t begin = Trace::now();
  job.begin(run, shared);
  if (shared)
    // As many as there are claims besides the owner's own.
    wakeIdle((run.chunks - 1) / run.grain);
  int64_t computed = job.work(worker.context);
  if (computed)
    timing.nsPerChunk = static_cast<double>(Trace::now() - begin) / static_cast<double>(computed);
  // No chunk is left to claim, but helpers may still compute theirs: results are complete only then.
  while (job.busy())
    idle(worker, [&] { return !job.busy(); });
  // For the watchdog: only the owner writes, so load and store need not be one operation.
  int64_t ns = Trace::now() - begin;
  if (ns > timing.slowestNs.load(std::memory_order_relaxed))
    timing.slowestNs.store(ns, std::memory_order_relaxed);
  return job.succeeded();
}

/// Its own rank first, then the others in a circle, so that helpers spread.
bool Workers::help(Worker &worker) {
  for (size_t i = 0; i < jobs.size(); ++i)
    if (helpRank(worker, (worker.rank + i) % jobs.size()))
      return true;
  return false;
}

bool Workers::helpRank(Worker &worker, size_t rank) {
  KernelJob &job = *jobs[rank];
  if (!job.offers())
    return false;
  int64_t begin = worker.trace ? Trace::now() : 0;
  // Before the claim, so that a sample counts its CPU time for that rank.
  worker.helping.store(rank, std::memory_order_relaxed);
  KernelJob::Help help = job.help(worker.context);
  worker.helping.store(SIZE_MAX, std::memory_order_relaxed);
  // The owner may sleep until the last helper has left.
  if (help.last)
    wake(rank);
  if (worker.trace && help.chunks)
    worker.trace->add({Trace::Kind::Help, help.microBatch, help.name, begin, Trace::now()});
  return help.chunks > 0;
}

/// Whether any rank's kernel has chunks to claim.
bool Workers::offered() const {
  return std::any_of(jobs.begin(), jobs.end(), [](const auto &job) { return job->offers(); });
}

void Workers::pause() { _mm_pause(); }

// A worker announces that it sleeps before it checks its condition a last time. A waker changes the condition before it
// looks for sleepers. The fences keep that order on both sides (Dekker's pattern), so one of the two always sees the
// other.
uint32_t Workers::prepareSleep(Worker &worker) {
  uint32_t seen = worker.wakeCount.load();
  worker.asleep.store(true);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return seen;
}

void Workers::cancelSleep(Worker &worker) { worker.asleep.store(false, std::memory_order_relaxed); }

void Workers::sleep(Worker &worker, uint32_t seen, int64_t mostNs) {
  // The kernel compares wakeCount with `seen`: a wake since prepareSleep() is not lost.
  timespec most{mostNs / 1'000'000'000, mostNs % 1'000'000'000};
  ::syscall(SYS_futex, &worker.wakeCount, FUTEX_WAIT_PRIVATE, seen, mostNs ? &most : nullptr, nullptr, 0);
  cancelSleep(worker);
}

/// Changes the word that a sleeper waits on, and wakes it. A futex, because std::atomic cannot wait with a time limit.
void Workers::rouse(Worker &worker) {
  worker.wakeCount.fetch_add(1);
  ::syscall(SYS_futex, &worker.wakeCount, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void Workers::wake(Worker &worker) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!worker.asleep.load(std::memory_order_relaxed))
    return;
  rouse(worker);
}

void Workers::wake(size_t rank) { wake(*workers[rank * perRank]); }

void Workers::wakeAll() {
  for (auto &worker : workers)
    wake(*worker);
}

void Workers::wakeIdle(int64_t most) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (auto &worker : workers) {
    if (!most)
      return;
    // Exchange: two owners must not count the same sleeper.
    if (!worker->asleep.exchange(false))
      continue;
    rouse(*worker);
    --most;
  }
}

void Workers::traceHelp(size_t rank, Trace *trace) { workers[rank * perRank]->trace = trace; }

const std::vector<int64_t> &Workers::sampleCpuTime() {
  for (size_t i = 0; i < workers.size(); ++i) {
    Worker &worker = *workers[i];
    timespec time{};
    if (!worker.entered || ::clock_gettime(worker.clock, &time) != 0)
      continue;
    int64_t now = time.tv_sec * 1000000000 + time.tv_nsec, spent = now - worker.sampled;
    worker.sampled = now;
    // A helper that is idle counts for no rank: it spins or sleeps.
    if (size_t rank = worker.helping.load(std::memory_order_relaxed); rank < jobs.size())
      cpuTime[rank] += spent;
    else if (i % perRank == 0)
      cpuTime[worker.rank] += spent;
  }
  return cpuTime;
}

} // namespace plc::runtime
