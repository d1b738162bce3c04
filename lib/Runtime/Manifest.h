// What a compiled module says about itself: tensors, kernels, and per entry the ranks' action tables.
#ifndef PLC_RUNTIME_MANIFEST_H
#define PLC_RUNTIME_MANIFEST_H

#include "plc/Runtime/Engine.h"
#include "plc/Runtime/KernelABI.h"
#include "plc/Runtime/Optimizer.h"

namespace plc::runtime {

struct GatherInfo {
  std::vector<std::string> where; // FILE:LINE:COL of the user's line, then of what it calls
  int64_t extent;                 // valid indices are 0 .. extent-1
};

/// A result of a real type.
struct ResultInfo {
  int64_t operand; // its place among a call's operands
  ElementType type;
  int64_t elements;
};

struct KernelInfo {
  std::string name, symbol;
  std::vector<std::string> where; // of its main equation, as in GatherInfo
  int64_t chunks, flops, bytes;
  std::vector<GatherInfo> gathers;
  std::vector<ResultInfo> results;
  bool infinite;                    // a result may be: a rule says `inf`
  plc_kernel_fn function = nullptr; // resolved when the module is loaded
};

enum class StaticKind : uint8_t { Parameter, Gradient, Moment1, Moment2, Input, Output };

/// A place of the arena that lives through the whole entry.
struct StaticInfo {
  StaticKind kind;
  std::string name;
  int64_t site = 0; // Gradient
  int64_t offset, bytes;
  bool owned = true; // Parameter: this rank updates it
};

struct CallInfo {
  int64_t kernel, shortKernel;   // the second for short micro-batches
  std::vector<int64_t> operands; // >= 0: slot; < 0: static -(k+1)
  std::string path;
};

struct TaskInfo {
  std::string name;
  int64_t slots;
  std::vector<CallInfo> calls;
};

struct ActionInfo {
  enum class Op : uint8_t { Run, PostRecv, WaitRecv, Send, WaitSend, Drop, Step };
  Op op;
  int64_t target = -1;     // task or channel
  int64_t microBatch = 0;  // -1: once per step
  int64_t offset = 0;      // PostRecv, Send, Drop
  int64_t bytes = 0;       // Drop
  std::vector<int64_t> at; // Run: offset of each slot
};

struct ChannelInfo {
  std::string name;
  int64_t source, destination;
  int64_t bytes, shortBytes; // the second for short micro-batches
  bool perStep;
};

struct RankInfo {
  std::string stage;
  int64_t arenaBytes;
  std::vector<StaticInfo> statics;
  std::vector<TaskInfo> tasks;
  std::vector<ActionInfo> actions;

  /// The place of that kind and name, or nullptr.
  const StaticInfo *find(StaticKind kind, const std::string &name) const {
    for (const StaticInfo &place : statics)
      if (place.kind == kind && place.name == name)
        return &place;
    return nullptr;
  }
};

/// Where an operand of a call lies in the arena, in a run of its task.
inline int64_t placeOf(const RankInfo &rank, int64_t operand, const ActionInfo &run) {
  return operand >= 0 ? run.at[static_cast<size_t>(operand)] : rank.statics[static_cast<size_t>(-operand - 1)].offset;
}

struct EntryPlan : EntryInfo {
  std::vector<int64_t> outputRanks; // which rank holds each output
  std::vector<ChannelInfo> channels;
  std::vector<RankInfo> ranks;

  int64_t kernelOf(const CallInfo &call, int64_t microBatch) const {
    return isShort(microBatch) ? call.shortKernel : call.kernel;
  }
  int64_t bytesOf(const ChannelInfo &channel, int64_t microBatch) const {
    return isShort(microBatch) ? channel.shortBytes : channel.bytes;
  }
};

struct Manifest {
  std::string model, numericsKey, planJson;
  ElementType real;
  int64_t threadsPerStage, codeBytes;
  bool profiling = false; // time every call
  std::vector<std::string> targetFeatures;
  OptimizerSettings optimizer;
  std::vector<ParameterInfo> parameters;
  std::vector<KernelInfo> kernels;
  std::vector<EntryPlan> entries;
};

/// Parses and checks a manifest: every index, offset and extent is within bounds afterwards, every message of a channel
/// is posted, sent and awaited exactly once. Throws fileError naming the place in the manifest.
Manifest parseManifest(const std::string &file, std::string_view text);

/// The checks that need more than one field (ManifestChecks.cpp); called by parseManifest.
void checkManifest(const std::string &file, const Manifest &manifest);

} // namespace plc::runtime

#endif
