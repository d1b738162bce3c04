// One rank: its arena, and the execution of its action table.
#ifndef PLC_LIB_RUNTIME_EXECUTE_RANK_H
#define PLC_LIB_RUNTIME_EXECUTE_RANK_H

#include "Base/TimeCounts.h"
#include "Updates.h"
#include "Waits.h"
#include "plc/Module/ReadyActions.h"
#include "plc/Runtime/Base/Backoff.h"
#include "plc/Runtime/Base/FlightRecorder.h"

namespace plc::runtime {

/// What the local ranks of a session share.
struct Shared {
  Shared(const Manifest &manifest, const EntryPlan &entry, const WorkerOptions &options,
         std::unique_ptr<Transport> newTransport);

  const Manifest &manifest;
  const EntryPlan &entry;
  StopFlag stop{false};
  const std::unique_ptr<Transport> transport;
  Waits waits;
  Workers workers; // for the local ranks, in their order
};

/// Wrong bytes that a run puts into arenas, to find wrong lifetimes.
struct Probe {
  bool poisonDead = false;         // NaN in all bytes that the plan calls dead: no result may change
  std::optional<Arena::Fill> fill; // overwrites one place before one action of one rank: a result must change
  size_t rank = 0, action = 0;
  int64_t offset = 0, bytes = 0;
};

/// A value that is no number, or that no rule speaks of, with the kernel that wrote it.
struct NonFiniteValue {
  bool isGiven;       // an infinity that an input had, and that may be meant: others go before it
  int64_t microBatch; // -1: of what is prepared for all
  int64_t when;       // ns of the steady clock
  Error error;

  /// Values of one micro-batch follow from each other, and from those of earlier ones through sums of gradients alone.
  bool isBefore(const NonFiniteValue &other) const {
    return std::tuple(isGiven, microBatch, when) < std::tuple(other.isGiven, other.microBatch, other.when);
  }
};

class Rank {
public:
  /// The rank `index` of the entry, the `local`th of its session.
  Rank(Shared &shared, size_t index, size_t local);

  /// Executes the action table once, without what has been prepared for these parameters; step 0 leaves the parameters
  /// as they are. A rank that takes what is ready keeps to its list where a probe names an action of it. Throws Error naming rank, stage, micro-batch and kernel; returns quietly if another rank stopped the run.
  void execute(Workers::Worker &worker, const TrainingStep &step, const Probe &probe);

  /// From now on stops at the first kernel that writes a NaN, or an infinity that none of its rules speaks of.
  void startFiniteChecks() { finiteChecks = FiniteChecks::Stop; }
  /// Between two runs: the next one keeps the first of such values, and goes on.
  void startFiniteRecord() {
    finiteChecks = FiniteChecks::Record;
    recorded.reset();
  }
  /// That value, if there was one; it is kept no more, and the checks are as they were.
  std::optional<NonFiniteValue> endFiniteRecord(bool checks) {
    finiteChecks = checks ? FiniteChecks::Stop : FiniteChecks::None;
    return std::exchange(recorded, std::nullopt);
  }

  /// Calls of each kernel and their time, by its place in the manifest, and last the steps; empty unless the module profiles.
  struct Time {
    int64_t calls = 0, nanoseconds = 0;
    TimeCounts each;

    void add(int64_t ns) {
      ++calls;
      nanoseconds += ns;
      each.add(ns);
    }
    void add(const Time &other) {
      calls += other.calls;
      nanoseconds += other.nanoseconds;
      each.add(other.each);
    }
  };
  const std::vector<Time> &times() const { return kernelTimes; }
  static size_t numTimes(const Manifest &manifest) { return manifest.profiling ? manifest.kernels.size() + 1 : 0; }

  /// In the last run it has begun to update its parameters.
  bool hasUpdated() const { return updated; }

  /// What was prepared is not there any more: the next run prepares it again.
  void parametersChanged() { prepared = false; }

  /// From now on keeps how long tasks, steps and calls take.
  void startTaskTimes();
  /// Of each action, in the last run.
  const std::vector<int64_t> &taskTimes() const { return actionTimes; }
  /// Of each action, if each of its calls took the fastest time of its kernel in all runs so far.
  std::vector<int64_t> fastestTaskTimes() const;
  /// When the last run began and ended here, in ns of the steady clock, what it prepared apart; only with task times.
  std::pair<int64_t, int64_t> executed() const { return {begun, ended}; }

  /// From now on keeps a trace.
  void startTrace(size_t capacity);
  const Trace *trace() const { return events.get(); }
  const std::string &stage() const { return plan.stage; }
  size_t number() const { return index; }

  /// Where a static of this rank lies; nullptr if it has none of that kind and name.
  std::byte *find(StaticKind kind, const std::string &name) const;
  std::byte *at(const StaticInfo &place) const { return arena.at(place.offset); }

  const Updates &owned() const { return updates; }
  int64_t measuredBytes() const { return arena.measuredBytes(); }

  /// The session's: from when a run is announced until the rank has ended it.
  void begin() { active = true; }
  void end() { active = false; }
  bool executing() const { return active; }
  /// For a watchdog, while the rank executes: grows with every action, kernel and claim.
  uint64_t progress() const;
  /// The slowest run so far of the kernel that runs now; 0 if there is none.
  int64_t slowestNs() const;
  /// Where the rank is: the kernel's place, or nothing, and "rank 0, stage 's0', ..".
  std::pair<std::vector<std::string>, std::string> where() const;

private:
  const KernelInfo &kernelOf(const CallInfo &call, int64_t microBatch) const {
    return manifest.kernels[static_cast<size_t>(shared.entry.kernelOf(call, microBatch))];
  }
  bool takeAll(const TrainingStep &step, const Probe &probe);
  bool takeReady(const TrainingStep &step, const Probe &probe);
  bool takeArrived();
  bool waitForAny();
  bool take(const ActionInfo &action, const TrainingStep &step);
  bool perform(const ActionInfo &action, const TrainingStep &step);
  bool runTask(const ActionInfo &action);
  bool runCall(const CallInfo &call, const ActionInfo &action);
  bool runKernel(int64_t number, void *const *operands);
  bool runTurns(int64_t number, const module::LoopInfo &loop, void *const *operands);
  bool message(const ActionInfo &action);
  bool waitFor(const Wait &wait);
  static int64_t messageOf(const ActionInfo &action) { return std::max<int64_t>(0, action.microBatch); }
  Wait waitOf(const ActionInfo &action) const {
    return {index, action.isSend() ? Wait::For::Send : Wait::For::Receive, action.target, messageOf(action)};
  }
  bool update(const TrainingStep &step);
  /// The losses of the micro-batches, added, if they are computed here.
  double lossHere() const;
  void poisonAll();
  void probeBefore(const ActionInfo &action, const Probe &probe);
  void record(const ActionInfo &action, int64_t begin);
  void recordCall(const CallInfo &call, int64_t microBatch, int64_t begin, int64_t end);
  enum class Infinity : uint8_t { None, OfInput, OfKernel };
  Infinity infinityRead(const CallInfo &call, const KernelInfo &kernel) const;
  bool isOfInput(const void *address) const;
  void checkFinite(const KernelInfo &kernel, void *const *operands);
  template <class IsFault>
  std::optional<Error> findFault(const KernelInfo &kernel, void *const *operands, IsFault isFault) const;
  std::string turnText() const;
  [[noreturn]] void fail(const KernelInfo &kernel) const;

  Shared &shared;
  const Manifest &manifest;
  const RankInfo &plan;
  const size_t index, local;
  Workers::Worker *worker = nullptr; // the calling thread's, in execute
  Arena arena;
  Updates updates;
  std::vector<void *> operands;
  std::vector<ChunkTiming> paces;                    // by kernel
  size_t actionIndex = 0;                            // of the one that is executed
  std::vector<WaitPace> waitPaces;                   // by action
  const std::unique_ptr<module::ReadyActions> ready; // null: actions are taken in their order
  std::vector<Wait> awaited;                         // at once, by waitForAny
  enum class FiniteChecks : uint8_t { None, Stop, Record } finiteChecks = FiniteChecks::None;
  std::optional<NonFiniteValue> recorded;
  Infinity infinity = Infinity::None; // that results of the call may have
  std::vector<int64_t> turns;         // of the loops that run now, the outer first
  bool prepared = false;              // what stays until parameters change is there
  bool updated = false;               // parameters, in the last run
  std::vector<Time> kernelTimes;
  std::vector<int64_t> actionTimes;  // empty: tasks are not timed
  std::vector<int64_t> fastestTimes; // by kernel, and last the step
  int64_t begun = 0, ended = 0;
  std::unique_ptr<Trace> events; // null: none are kept
  std::atomic<bool> active{false};
  std::atomic<uint64_t> actionsDone{0};
  RankFlight noFlight;
  RankFlight &flight; // the process's, or that
  std::atomic<const CallInfo *> current{nullptr};
  std::atomic<int64_t> currentMicroBatch{0};
};

} // namespace plc::runtime

#endif
