// One entry of a module, ready to run on threads of its own.
#ifndef PLC_LIB_RUNTIME_EXECUTE_SESSION_H
#define PLC_LIB_RUNTIME_EXECUTE_SESSION_H

#include "EntryTensors.h"
#include "Watchdog.h"

#include <condition_variable>
#include <exception>
#include <thread>

namespace plc::runtime {

/// One entry of a module, ready to run: the ranks that are local to its transport, with the threads that execute them.
/// Threads start with the session and wait for runs. The first error of any rank stops all, and run() throws it.
///
/// One thread calls the members, between two runs. It watches over the ranks while it is in run().
class Session {
public:
  /// `hangTimeout` in seconds; 0: no rank is watched. Throws Error if threads cannot be started.
  Session(const Manifest &manifest, const EntryPlan &entry, const WorkerOptions &options, double hangTimeout,
          std::unique_ptr<Transport> transport);
  ~Session();
  Session(const Session &) = delete;

  /// Runs every local rank's action table once, with whole-batch inputs in the entry's order. Throws the first error,
  /// once all ranks have stopped or two seconds later. Then the session must not run again.
  void run(const TrainingStep &step, const std::vector<Bytes> &inputs, const Probe &probe = {});

  /// Whether a rank did not stop within two seconds of an error. Its thread may still use this object and the module's
  /// code, so neither may ever be destroyed.
  bool abandoned() const { return lost; }

  /// Whether a local rank began to update its parameters in the last run.
  bool hasUpdated() const;

  const EntryPlan &plan() const { return entry; }
  const EntryTensors &tensors() const { return entryTensors; }
  /// After a run that made a step: sets its norms, and whether it is finite (isFiniteStep).
  void setNorms(StepResult &result);

  /// See Rank::startFiniteChecks.
  void startFiniteChecks();
  /// Runs the local ranks without a step, and returns the first value that is not finite.
  std::optional<NonFiniteValue> findNonFinite(const std::vector<Bytes> &inputs);
  /// See Rank::startTaskTimes.
  void startTaskTimes();
  const std::vector<std::unique_ptr<Rank>> &ranks() const { return localRanks; }
  /// From the next run on: keeps a trace of each local rank. addTracks() appends them.
  void startTrace(size_t eventsPerRank);
  void addTracks(std::vector<TraceTrack> &tracks) const;
  /// Arena::measuredBytes of every rank of the entry. Collective, as gathers are.
  std::vector<int64_t> measuredBytes() const;
  /// A number of every rank of the entry, by rank: each session calls `tell` for its own. Collective.
  std::vector<int64_t> ofAllRanks(const std::function<int64_t(const Rank &)> &tell) const;
  /// Times by kernel, and last of the steps, of all ranks together; empty unless the module profiles. Collective.
  std::vector<Rank::Time> kernelTimes() const;
  /// Chunks of a local rank's kernels that other workers computed.
  int64_t numHelped(size_t local) const { return shared.workers.job(local).numHelped(); }

private:
  /// The body of thread `index`.
  void serve(size_t index);
  void execute(size_t local, Workers::Worker &worker);
  /// Stops all ranks, here and in other sessions; the first error is kept.
  void stopAll(std::exception_ptr error);
  void leave(); // and join
  /// The caller's part of a run: waits for the end, and looks for ranks that hang.
  void watch(std::unique_lock<std::mutex> &lock);
  void look(Watchdog &watchdog);

  const EntryPlan &entry;
  int64_t hangTimeoutNs;
  WaitPace normPace;
  Shared shared;
  std::vector<std::unique_ptr<Rank>> localRanks;
  EntryTensors entryTensors;

  /// Guards running and firstError. step and probe are written between runs, and published by `round`.
  std::mutex mutex;
  std::condition_variable changed; // running or firstError; the thread in run() waits
  TrainingStep step;
  Probe probe;
  std::atomic<uint64_t> round{0}; // of runs; rank threads wait for the next
  std::atomic<bool> leaving{false};
  size_t running = 0;
  bool checksFinite = false;
  std::exception_ptr firstError;
  bool lost = false;
  std::vector<std::thread> threads; // one per worker
};

} // namespace plc::runtime

#endif
