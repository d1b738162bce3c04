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

/// What a persistent buffer holds.
enum class BufferKind : uint8_t { Parameter, Gradient, Moment, Average, Input, Output, Precomputed, State };

/// Whether a parameter may have several buffers of this kind, told apart by their `site`.
constexpr bool isNumbered(BufferKind kind) { return kind == BufferKind::Gradient || kind == BufferKind::Moment; }

/// A persistent buffer: bytes of the arena that live through the whole entry.
struct BufferInfo {
  BufferKind kind;
  std::string name; // STAGE.ROLE, or STAGE.ROLE.keep for the one without what is recomputed
  int64_t site = 0; // Gradient: the use of the parameter whose gradients it sums; Moment: its number
  int64_t offset, bytes;
  bool owned = true;                   // Parameter: this rank updates it
  ElementType type = ElementType::F32; // State: of its elements
  double init = 0;                     // State: the value of each element before the first run
  int64_t positions = 0;               // State: extent of the axis in which a run writes one position; 0: it writes all
  int64_t group = 0, groups = 1;       // Gradient: accumulation groups from `group` on, one behind another
  std::optional<ShardName> shard{};    // Parameter, Gradient, Moment, Average: if the parameter is a shard
  std::string wholeOf{}; // Input: the input of which it has all rows, the same in each micro-batch; else empty

  /// The path of the whole parameter, for a buffer of a parameter or of a shard.
  const std::string &parameter() const { return shard ? shard->whole : name; }
};

/// A call of a kernel within a task.
struct CallInfo {
  int64_t kernel;                // index in the entry's kernels
  std::vector<int64_t> operands; // inputs, then outputs, an accumulator once. >= 0: slot; < 0: persistent buffer -(k+1)
  std::string path;              // the instance whose equations these are, for people
};

/// Where a value of a task lies: `offset` bytes behind a base, whose address each run gives. Values with equal
/// lifetimes share a base.
struct SlotInfo {
  int64_t base, offset;
};

/// The calls that a rank makes without interruption, for one micro-batch or, in a task STAGE.P, for all.
struct TaskInfo {
  std::string name;  // STAGE.ROLE, or STAGE.ROLE.keep without what is computed again
  int64_t bases = 0; // number of addresses that a run gives
  std::vector<SlotInfo> slots;
  std::vector<CallInfo> calls;

  /// Whether it computes precomputed values.
  bool prepares() const { return name.ends_with(".P"); }
};

/// One entry of a rank's table. Which fields are used depends on `op`.
struct ActionInfo {
  enum class Op : uint8_t { Run, PostRecv, WaitRecv, Send, WaitSend, Drop, Step };
  Op op;
  int64_t target = -1;     // task or channel
  int64_t microBatch = 0;  // -1: once per step; Run: precomputing, once for these parameters
  int64_t offset = 0;      // PostRecv, Send, Drop: in the rank's arena
  int64_t bytes = 0;       // Drop
  std::vector<int64_t> at; // Run: offset of each base of the task, in the rank's arena

  bool isMessage() const { return op != Op::Run && op != Op::Drop && op != Op::Step; }
  bool isSend() const { return op == Op::Send || op == Op::WaitSend; }
  /// Whether it computes values that stay until parameters are replaced. Such runs come first, and only while the
  /// values are not valid.
  bool prepares() const { return op == Op::Run && microBatch < 0; }
};

/// Carries one value from a rank to another, once per micro-batch or step.
struct ChannelInfo {
  std::string name;
  int64_t source, destination;
  int64_t bytes, shortBytes; // of a message; of one for a short micro-batch
  int64_t slots = 1;         // most receives that are posted and not yet waited for
  int64_t tag = 0; // of the first message; that of micro-batch i has `tag + 2 i`, unique between its two ranks
  bool perStep;
};

/// The plan of one rank: its arena and its table.
struct RankInfo {
  std::string stage;
  int64_t arenaBytes;
  std::vector<BufferInfo> buffers;
  std::vector<TaskInfo> tasks;
  std::vector<ActionInfo> actions;
  /// For each action, the earlier ones that it must follow. Any order that respects this is correct, and the rank takes
  /// whatever is ready. Empty: the rank takes its actions in their order.
  std::vector<std::vector<int64_t>> after{};

  bool takesWhatIsReady() const { return !after.empty(); }
  /// The persistent buffer of that kind and name, and of that site unless it is -1; or nullptr.
  const BufferInfo *find(BufferKind kind, const std::string &name, int64_t site = -1) const {
    for (const BufferInfo &buffer : buffers)
      if (buffer.kind == kind && buffer.name == name && (site < 0 || buffer.site == site))
        return &buffer;
    return nullptr;
  }
};

/// Where the persistent buffers of a rank end, aligned: the rest of its arena is for values and updates.
int64_t endOfBuffers(const RankInfo &rank);

/// Bytes that a rank's optimizer step reads and writes: the parameters that it updates, their gradients, moments and
/// averages.
int64_t updatedBytes(const RankInfo &rank);

/// The plan of one entry. `plan-verify` proves it, the module stores it, and the runtime executes it. Only the code of
/// kernels is added after the proof.
struct EntryPlan : EntryInfo {
  std::vector<int64_t> outputRanks; // for each output, the rank of the first replica that has it
  /// For each kernel that calls count: its index in the module. The second list is for short micro-batches.
  std::vector<int64_t> kernels, shortKernels;
  std::vector<ChannelInfo> channels;
  std::vector<RankInfo> ranks;
  /// Number of replicas. `ranks` has equally many ranks of each, one replica behind another. Each replica runs its
  /// share of the micro-batches, in order.
  int64_t replicas = 1;

  int64_t ranksOfReplica() const { return static_cast<int64_t>(ranks.size()) / replicas; }
  /// The rank of a replica that corresponds to this rank of the first one.
  size_t rankIn(int64_t replica, int64_t rank) const { return static_cast<size_t>(replica * ranksOfReplica() + rank); }
  int64_t replicaOf(size_t rank) const { return static_cast<int64_t>(rank) / ranksOfReplica(); }
  /// The first micro-batch of a replica; of the number behind the last one, the end.
  int64_t firstRun(int64_t replica) const { return replica * (microBatches / replicas); }

  /// Whether there are short micro-batches.
  bool isRagged() const { return isShort(microBatches - 1); }
  /// The index in the module of a call's kernel.
  int64_t kernelOf(const CallInfo &call, int64_t microBatch) const {
    return (isShort(microBatch) ? shortKernels : kernels)[static_cast<size_t>(call.kernel)];
  }
  /// The offset in the arena of a call's operand, in a run of its task.
  int64_t offsetOf(const RankInfo &rank, int64_t operand, const ActionInfo &run) const {
    if (operand < 0) {
      const BufferInfo &buffer = rank.buffers[static_cast<size_t>(-operand - 1)];
      return buffer.groups == 1
                 ? buffer.offset
                 : buffer.offset + (groupOf(run.microBatch) - buffer.group) * (buffer.bytes / buffer.groups);
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
};

#endif
