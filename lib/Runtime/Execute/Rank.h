// Executes the action table of one rank on its arena.
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
  const StepParameters stepParameters;
  StopFlag stop{false}; // set by the first error
  const std::unique_ptr<Transport> transport;
  Waits waits;
  Workers workers; // for the local ranks, in their order
};

/// Wrong bytes that a run writes into arenas, to find wrong lifetimes (ArenaChecks.h). Empty: none.
struct Probe {
  bool poisonDead = false;         // NaN in all bytes that the plan calls dead: no result may change
  std::optional<Arena::Fill> fill; // overwrites one place before one action of one rank: a result must change
  size_t rank = 0, action = 0;
  int64_t offset = 0, bytes = 0;
};

/// A NaN, or an infinity that no rule speaks of, and the kernel that wrote it.
struct NonFiniteValue {
  bool isGiven;       // an infinity from an input, which may be meant: all other values go first
  int64_t microBatch; // -1: of a precomputed value, which all micro-batches read
  int64_t when;       // ns of the steady clock
  Error error;

  /// Orders values by cause: in one micro-batch by time. Between micro-batches only sums of gradients carry a value on,
  /// from an earlier to a later one.
  bool isBefore(const NonFiniteValue &other) const {
    return std::tuple(isGiven, microBatch, when) < std::tuple(other.isGiven, other.microBatch, other.when);
  }
};

/// One rank of an entry: its arena, and the interpreter of its action table. It executes tasks, posts and sends
/// messages, waits, and takes the optimizer's step, in the order of the table, or in any order that the table allows
/// (ReadyActions).
///
/// execute() belongs to the rank's first worker. A watchdog on another thread reads progress(), slowestNs() and
/// where(), which are atomics for that reason.
class Rank {
public:
  /// The rank `index` of the entry, the `local`-th of its session.
  Rank(Shared &shared, size_t index, size_t local);

  /// Executes the action table once. Precomputing runs are skipped while their values are valid. Step 0 leaves the
  /// parameters as they are. A rank that takes any ready action keeps to the order of its list if a probe names an
  /// action. Throws Error that names rank, stage, micro-batch and kernel. Returns quietly if another rank stopped the
  /// run.
  void execute(Workers::Worker &worker, const TrainingStep &step, const Probe &probe);

  /// From the next run on: stops at the first kernel that writes a NaN, or an infinity that no rule of it speaks of.
  void startFiniteChecks() { finiteChecks = FiniteChecks::Stop; }
  /// Between two runs: the next run keeps the first of such values, and goes on.
  void startFiniteRecord() {
    finiteChecks = FiniteChecks::Record;
    recorded.reset();
  }
  /// Returns that value, if there was one, and forgets it. `checks`: whether startFiniteChecks() applies again.
  std::optional<NonFiniteValue> endFiniteRecord(bool checks) {
    finiteChecks = checks ? FiniteChecks::Stop : FiniteChecks::None;
    return std::exchange(recorded, std::nullopt);
  }

  /// The calls of a kernel and their nanoseconds.
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
  /// By index of the kernel in the manifest, and last the steps; empty unless the module profiles.
  const std::vector<Time> &times() const { return kernelTimes; }
  static size_t numTimes(const Manifest &manifest) { return manifest.profiling ? manifest.kernels.size() + 1 : 0; }

  /// Whether the last run began to update parameters. After an error they may be half updated.
  bool hasUpdated() const { return updated; }

  /// Invalidates precomputed values: the next run computes them again.
  void parametersChanged() { precomputed = false; }

  /// From the next run on: keeps the times of tasks, steps and calls.
  void startTaskTimes();
  /// Nanoseconds of each action in the last run; 0 for one that computes nothing.
  const std::vector<int64_t> &taskTimes() const { return actionTimes; }
  /// The same, if each call took the fastest time of its kernel in all runs so far.
  std::vector<int64_t> fastestTaskTimes() const;
  /// Begin and end of the last run, in ns of the steady clock, without precomputing; 0 unless tasks are timed.
  std::pair<int64_t, int64_t> executed() const { return {begun, ended}; }

  /// From the next run on: keeps a trace of the newest `capacity` events.
  void startTrace(size_t capacity);
  const Trace *trace() const { return events.get(); }
  const std::string &stage() const { return plan.stage; }
  size_t number() const { return index; }

  /// The address of a persistent buffer; nullptr if this rank has none of that kind and name.
  std::byte *find(BufferKind kind, const std::string &name) const;
  std::byte *at(const BufferInfo &buffer) const { return arena.at(buffer.offset); }

  const Updates &owned() const { return updates; }
  int64_t measuredBytes() const { return arena.measuredBytes(); }

  /// Called by the session when it announces a run, and by the rank's worker when it has ended it.
  void begin() { active = true; }
  void end() { active = false; }
  bool executing() const { return active; }
  /// For the watchdog, while the rank executes: grows with every action and claim.
  uint64_t progress() const;
  /// Nanoseconds of the slowest run so far of the kernel that runs now; 0 if none runs, or it runs for the first time.
  int64_t slowestNs() const;
  /// Where the rank is, for an error: the source lines of the kernel, or none, and `rank 0, stage 's0', ..`.
  std::pair<std::vector<std::string>, std::string> where() const;

private:
  const KernelInfo &kernelOf(const CallInfo &call, int64_t microBatch) const {
    return manifest.kernels[static_cast<size_t>(shared.entry.kernelOf(call, microBatch))];
  }
  /// All of these return false if the run was stopped. takeAll: in the order of the table. takeReady: any ready action.
  bool takeAll(const TrainingStep &step, const Probe &probe);
  bool takeReady(const TrainingStep &step, const Probe &probe);
  /// Marks ready waits that are over; whether there were any.
  bool takeArrived();
  /// Waits until one of the ready waits is over.
  bool waitForAny();
  /// Executes an action and records its time; perform() only executes it.
  bool take(const ActionInfo &action, const TrainingStep &step);
  bool perform(const ActionInfo &action, const TrainingStep &step);
  bool runTask(const ActionInfo &action);
  bool runCall(const CallInfo &call, const ActionInfo &action);
  /// Runs a kernel of the manifest, or the iterations of a loop, on these addresses.
  bool runKernel(int64_t number, void *const *operands);
  bool runIterations(int64_t number, const module::LoopInfo &loop, void *const *operands);
  bool message(const ActionInfo &action);
  bool waitFor(const Wait &wait);
  /// The number of a message in its channel; a channel used once per step has message 0.
  static int64_t messageOf(const ActionInfo &action) { return std::max<int64_t>(0, action.microBatch); }
  Wait waitOf(const ActionInfo &action) const {
    return {index, action.isSend() ? Wait::For::Send : Wait::For::Receive, action.target, messageOf(action)};
  }
  bool update(const TrainingStep &step);
  /// The losses of this rank's micro-batches, added; 0 if another rank computes the loss.
  double lossHere() const;
  /// NaN in all bytes outside of persistent buffers.
  void poisonAll();
  void probeBefore(const ActionInfo &action, const Probe &probe);
  void record(const ActionInfo &action, int64_t begin);
  void recordCall(const CallInfo &call, int64_t microBatch, int64_t begin, int64_t end);
  /// Where an infinity among the inputs of a call comes from: decides what --check-finite may report of its results.
  enum class Infinity : uint8_t { None, OfInput, OfKernel };
  Infinity infinityRead(const CallInfo &call, const KernelInfo &kernel) const;
  bool isOfInput(const void *address) const;
  void checkFinite(const KernelInfo &kernel, void *const *operands);
  template <class IsFault>
  std::optional<Error> findFault(const KernelInfo &kernel, void *const *operands, IsFault isFault) const;
  std::string iterationText() const;
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
  size_t actionIndex = 0;                            // of the action that is executed
  std::vector<WaitPace> waitPaces;                   // by action
  const std::unique_ptr<module::ReadyActions> ready; // null: actions are taken in their order
  std::vector<Wait> awaited;                         // all waits of waitForAny; reserved once
  enum class FiniteChecks : uint8_t { None, Stop, Record } finiteChecks = FiniteChecks::None;
  std::optional<NonFiniteValue> recorded;
  Infinity infinity = Infinity::None; // that results of the call may have
  std::vector<int64_t> iterations;    // iterations of the loops that run now, the outer one first
  bool precomputed = false;           // precomputed values are valid
  bool updated = false;               // parameters, in the last run
  std::vector<Time> kernelTimes;
  std::vector<int64_t> actionTimes;  // empty: tasks are not timed
  std::vector<int64_t> fastestTimes; // by kernel, and last the step
  int64_t begun = 0, ended = 0;
  std::unique_ptr<Trace> events; // null: none are kept
  std::atomic<bool> active{false};
  std::atomic<uint64_t> actionsDone{0};
  RankFlight noFlight; // if the process has no recorder
  RankFlight &flight;  // the process's recorder of this rank, or noFlight
  std::atomic<const CallInfo *> current{nullptr};
  std::atomic<int64_t> currentMicroBatch{0};
};

} // namespace plc::runtime

#endif
