//===- ActionTable.h - what each rank does, in order ------------*- C++ -*-===//
#ifndef PLC_MODULE_ACTIONTABLE_H
#define PLC_MODULE_ACTIONTABLE_H

#include "plc/Module/Entries.h"

namespace plc::module {

/// How often a value is carried from rank to rank.
enum class Frequency { microBatch, step };

struct FrequencyRow {
  const char *name;
  const char *text; ///< for people
};

enum class StaticKind : uint8_t { Parameter, Gradient, Moment1, Moment2, Input, Output, Prepared, State };

/// A place of the arena that lives through the whole entry.
struct StaticInfo {
  StaticKind kind;
  std::string name;
  int64_t site = 0; // Gradient
  int64_t offset, bytes;
  bool owned = true;                   // Parameter: this rank updates it
  ElementType type = ElementType::F32; // State: of its elements
  double init = 0;                     // State: each of them, before the first run
  int64_t positions = 0;               // State: extent of the axis in which a run writes one position; 0: it writes all
  int64_t lane = 0, lanes = 1;         // Gradient: so many lanes from `lane` on, one behind the other
};

struct CallInfo {
  int64_t kernel;                // of the entry's kernels
  std::vector<int64_t> operands; // inputs, then outputs, an accumulator once. >= 0: slot; < 0: static -(k+1)
  std::string path;              // the instance whose equations these are, for people
};

/// Where a slot of a task lies: so many bytes behind an address that each run gives.
struct SlotInfo {
  int64_t base, offset;
};

/// What a rank does at once for one micro-batch, or (STAGE.P) for all.
struct TaskInfo {
  std::string name;  // STAGE.ROLE, or STAGE.ROLE.keep without what is computed again
  int64_t bases = 0; // addresses that a run gives
  std::vector<SlotInfo> slots;
  std::vector<CallInfo> calls;

  bool prepares() const { return name.ends_with(".P"); }
};

struct ActionInfo {
  enum class Op : uint8_t { Run, PostRecv, WaitRecv, Send, WaitSend, Drop, Step };
  Op op;
  int64_t target = -1;     // task or channel
  int64_t microBatch = 0;  // -1: once per step; Run: once for the parameters that are there
  int64_t offset = 0;      // PostRecv, Send, Drop: in the rank's arena
  int64_t bytes = 0;       // Drop
  std::vector<int64_t> at; // Run: of each base of the task, in the rank's arena

  bool isMessage() const { return op != Op::Run && op != Op::Drop && op != Op::Step; }
  bool isSend() const { return op == Op::Send || op == Op::WaitSend; }
  /// Whether it makes what stays until parameters are replaced: such runs come first, and only if that is not there yet.
  bool prepares() const { return op == Op::Run && microBatch < 0; }
};

struct ChannelInfo {
  std::string name;
  int64_t source, destination;
  int64_t bytes, shortBytes; // the second for short micro-batches
  int64_t slots = 1;         // at most so many receives are posted and not yet waited for
  int64_t tag = 0; // of the first message; that of micro-batch i has `tag + 2 i`, unique between its two ranks
  bool perStep;
};

struct RankInfo {
  std::string stage;
  int64_t arenaBytes;
  std::vector<StaticInfo> statics;
  std::vector<TaskInfo> tasks;
  std::vector<ActionInfo> actions;
  /// For each action, which earlier ones it must come after: any order that respects that is right, and the rank takes
  /// what is ready. Empty: the rank takes its actions in their order.
  std::vector<std::vector<int64_t>> after{};

  bool takesWhatIsReady() const { return !after.empty(); }
  /// The place of that kind and name, or nullptr.
  const StaticInfo *find(StaticKind kind, const std::string &name) const {
    for (const StaticInfo &place : statics)
      if (place.kind == kind && place.name == name)
        return &place;
    return nullptr;
  }
};

/// Bytes of the parameters that a rank's step updates, of all their gradients, and of moments.
int64_t updatedBytes(const RankInfo &rank);

/// The table of one entry. `plan-verify` proves it, the module holds it, the runtime executes it: only which code
/// computes a kernel is added after the proof.
struct EntryPlan : EntryInfo {
  std::vector<int64_t> outputRanks; // which rank of the first replica holds each output
  /// For each kernel that calls count: its number among the module's. The second list is for short micro-batches.
  std::vector<int64_t> kernels, shortKernels;
  std::vector<ChannelInfo> channels;
  std::vector<RankInfo> ranks;
  /// Copies of its first ranks, one behind the other: each runs its part of the micro-batches, in order.
  int64_t replicas = 1;

  int64_t ranksOfReplica() const { return static_cast<int64_t>(ranks.size()) / replicas; }
  /// In a replica, the rank that stands for this one of the first.
  size_t rankIn(int64_t replica, int64_t rank) const { return static_cast<size_t>(replica * ranksOfReplica() + rank); }
  int64_t replicaOf(size_t rank) const { return static_cast<int64_t>(rank) / ranksOfReplica(); }
  /// Of a replica, its first micro-batch; of the one behind it, the end.
  int64_t firstRun(int64_t replica) const { return replica * (microBatches / replicas); }

  bool isRagged() const { return isShort(microBatches - 1); }
  int64_t kernelOf(const CallInfo &call, int64_t microBatch) const {
    return (isShort(microBatch) ? shortKernels : kernels)[static_cast<size_t>(call.kernel)];
  }
  /// Where an operand of a call lies in the arena, in a run of its task.
  int64_t placeOf(const RankInfo &rank, int64_t operand, const ActionInfo &run) const {
    if (operand < 0) {
      const StaticInfo &place = rank.statics[static_cast<size_t>(-operand - 1)];
      return place.lanes == 1 ? place.offset
                              : place.offset + (laneOf(run.microBatch) - place.lane) * (place.bytes / place.lanes);
    }
    const SlotInfo &slot = rank.tasks[static_cast<size_t>(run.target)].slots[static_cast<size_t>(operand)];
    return run.at[static_cast<size_t>(slot.base)] + slot.offset;
  }
  int64_t bytesOf(const ChannelInfo &channel, int64_t microBatch) const {
    return isShort(microBatch) ? channel.shortBytes : channel.bytes;
  }
};

} // namespace plc::module

template <>
struct plc::Choice<plc::module::Frequency> {
  static constexpr const char *noun = "frequency";
  static constexpr module::FrequencyRow table[] = {{"micro_batch", "micro-batch"}, {"step", "step"}};
  static std::span<const module::FrequencyRow> rows() { return table; }
  static std::span<const char *const> planned() { return {}; }
};

#endif
