// One entry of a module, ready to run: its local ranks as threads, its transport, its first error.
#ifndef PLC_LIB_RUNTIME_EXECUTE_SESSION_H
#define PLC_LIB_RUNTIME_EXECUTE_SESSION_H

#include "EntryTensors.h"
#include "Watchdog.h"

#include <condition_variable>
#include <exception>
#include <thread>

namespace plc::runtime {

class Session {
public:
  /// Executes the ranks that are local to the transport. hangTimeout in seconds; 0: no rank is watched.
  Session(const Manifest &manifest, const EntryPlan &entry, const WorkerOptions &options, double hangTimeout,
          std::unique_ptr<Transport> transport);
  ~Session();
  Session(const Session &) = delete;

  /// Runs every local rank's action table once, with the given whole-batch inputs. Throws the first error, after every
  /// rank has stopped; the session must not be run again then.
  void run(const TrainingStep &step, const std::vector<Bytes> &inputs, const Probe &probe = {});

  /// A rank did not stop within two seconds of an error: its thread may still use this object and the module's code,
  /// so neither may ever be destroyed.
  bool abandoned() const { return lost; }

  /// In the last run a rank has begun to update its parameters.
  bool hasUpdated() const;

  const EntryPlan &plan() const { return entry; }
  const EntryTensors &tensors() const { return entryTensors; }
  /// Norm of the whole gradient, of the last run, which made a step; and isFiniteStep of it.
  std::pair<double, bool> gradientNorm();

  /// From now on stops at the first kernel that writes a NaN, or an infinity that none of its rules speaks of.
  void startFiniteChecks();
  /// Runs the local ranks as a step does, but leaves the parameters as they are, and returns the first value that is not finite.
  std::optional<NonFiniteValue> findNonFinite(const std::vector<Bytes> &inputs);
  /// From now on times tasks; see Rank.
  void startTaskTimes();
  const std::vector<std::unique_ptr<Rank>> &ranks() const { return localRanks; }
  /// From now on keeps traces: those of the local ranks are added to `tracks`.
  void startTrace(size_t eventsPerRank);
  void addTracks(std::vector<TraceTrack> &tracks) const;
  /// Of every rank of the entry, what its arena holds that was written; collective, as gathering is.
  std::vector<int64_t> measuredBytes() const;
  /// By rank of the entry, what its session tells of it. Collective.
  std::vector<int64_t> ofAllRanks(const std::function<int64_t(const Rank &)> &tell) const;
  /// By kernel, and last the steps, of all ranks together; empty unless the module profiles. Collective.
  std::vector<Rank::Time> kernelTimes() const;
  /// Chunks of a local rank's kernels that other workers than its own computed.
  int64_t numHelped(size_t local) const { return shared.workers.job(local).numHelped(); }

private:
  void serve(size_t index);
  void execute(size_t local, Workers::Worker &worker);
  void stopAll(std::exception_ptr error);
  void leave(); // and join
  void watch(std::unique_lock<std::mutex> &lock);
  void look(Watchdog &watchdog);

  const EntryPlan &entry;
  int64_t hangTimeoutNs;
  WaitPace normPace;
  Shared shared;
  std::vector<std::unique_ptr<Rank>> localRanks;
  EntryTensors entryTensors;

  std::mutex mutex;
  std::condition_variable changed; // running or firstError, for the thread in run()
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
