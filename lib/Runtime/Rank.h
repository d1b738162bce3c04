// One rank: its arena, its workers, and the execution of its action table.
#ifndef PLC_RUNTIME_RANK_H
#define PLC_RUNTIME_RANK_H

#include "Arena.h"
#include "Manifest.h"
#include "StepExchange.h"
#include "Trace.h"
#include "Workers.h"

#include <map>

namespace plc::runtime {

class Rank {
public:
  Rank(const Manifest &manifest, const EntryPlan &entry, size_t index, int64_t threads,
       std::vector<std::unique_ptr<Channel>> &channels, StepExchange &exchange, const StopFlag &stop);

  /// Executes the action table once; step 0 leaves the parameters as they are. Throws Error naming rank, stage,
  /// micro-batch and kernel; returns quietly if another rank stopped the run. With `poison`, all bytes that the plan
  /// calls dead are signalling NaNs: those of no static at the start, and what is dropped from then on.
  void execute(int64_t step, bool poison);

  /// From now on stops at the first kernel that writes a NaN, or an infinity that none of its rules speaks of.
  void startFiniteChecks() { checksFinite = true; }

  /// Calls of each kernel and their time, by its place in the manifest; empty unless the module profiles.
  struct Time {
    int64_t calls = 0, nanoseconds = 0;
  };
  const std::vector<Time> &times() const { return kernelTimes; }

  /// From now on keeps a trace.
  void startTrace(size_t capacity) { events = std::make_unique<Trace>(capacity); }
  const Trace *trace() const { return events.get(); }
  const std::string &stage() const { return plan.stage; }
  int64_t number() const { return static_cast<int64_t>(index); }

  /// The place of that kind and name, or nullptr.
  std::byte *find(StaticKind kind, const std::string &name, const StaticInfo **info = nullptr) const;

  /// The gradient of an owned parameter: its sites in order. Leaves `out` alone if it is another rank's.
  void sumSites(const ParameterInfo &parameter, void *out) const;

  /// Of the last step: the squares of each owned parameter's gradient, summed.
  const std::map<std::string, double> &squares() const { return sumsOfSquares; }
  int64_t plannedBytes() const { return plan.arenaBytes; }
  int64_t measuredBytes() const { return arena.measuredBytes(); }

private:
  /// One owned, trained parameter and where its update finds everything.
  struct Update {
    const ParameterInfo *parameter;
    std::vector<const void *> sites; // in site order
    void *value;
    std::vector<void *> moments;
    double squares;
  };
  struct UpdateJob {
    const StepFactors &factors;
    std::vector<Update> &updates;
  };
  const KernelInfo &kernelOf(const CallInfo &call, int64_t microBatch) const {
    return manifest.kernels[static_cast<size_t>(entry.kernelOf(call, microBatch))];
  }
  bool perform(const ActionInfo &action, int64_t step);
  bool runTask(const ActionInfo &action);
  bool runCall(const CallInfo &call, const ActionInfo &action);
  bool message(const ActionInfo &action);
  void poisonAll();
  void record(const ActionInfo &action, int64_t begin);
  void recordCall(const CallInfo &call, int64_t microBatch, int64_t begin, int64_t end);
  bool update(int64_t step);
  bool forEachUpdate(plc_kernel_fn part, const StepFactors &factors);
  void collectUpdates();
  void checkFinite(const CallInfo &call, int64_t microBatch) const;
  std::string placeText(const CallInfo &call, int64_t microBatch) const;
  [[noreturn]] void fail(const CallInfo &call, int64_t microBatch);
  static int32_t squareChunks(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *);
  static int32_t updateChunks(void *const *operands, int64_t begin, int64_t end, int32_t, plc_kernel_context *);

  const Manifest &manifest;
  const RankInfo &plan;
  const EntryPlan &entry;
  size_t index;
  std::vector<std::unique_ptr<Channel>> &channels;
  StepExchange &exchange;
  const StopFlag &stop;
  Arena arena;
  Workers workers;
  std::vector<Update> updates;
  std::vector<void *> operands;
  std::map<std::string, double> sumsOfSquares;
  bool checksFinite = false;
  std::vector<Time> kernelTimes;
  std::unique_ptr<Trace> events; // null: none are kept
};

} // namespace plc::runtime

#endif
