// Checks of a manifest that need more than one field.
#include "plc/Runtime/Base/ManifestChecks.h"
#include "UpdateChecks.h"
#include "plc/Module/Alignment.h"
#include "plc/Runtime/Base/ShortestDigits.h"

#include <algorithm>
#include <map>
#include <set>

namespace plc::runtime {

namespace {

using Op = ActionInfo::Op;

using module::alignment;

/// Checks the action table of one entry: its buffers lie in the arenas and fit its tensors, its actions fit its tasks
/// and channels. The planner's proof is stronger. This check guards the runtime against a file that some other program
/// wrote.
class EntryChecker {
public:
  EntryChecker(const std::string &file, const Manifest &manifest, const EntryPlan &entry)
      : file(file), manifest(manifest), entry(entry),
        groups(manifest.optimizer, module::groupedParameters(manifest.parameters)) {}

  void check() {
    checkBatch();
    for (size_t rank = 0; rank < entry.ranks.size(); ++rank) {
      for (const BufferInfo &buffer : entry.ranks[rank].buffers)
        checkBuffer(rank, buffer);
      bool hasBegun = false; // anything but precomputing
      for (const ActionInfo &action : entry.ranks[rank].actions) {
        hasBegun |= !action.prepares() && action.op != Op::Drop;
        if (hasBegun && action.prepares())
          fail(rank, "a task that prepares runs behind others");
        checkAction(rank, action);
      }
      checkSteps(rank);
    }
    checkOutputs();
    checkMessages();
    if (entry.trains())
      checkTraining();
  }

private:
  [[noreturn]] void fail(const std::string &text) const {
    throw fileError(file, "manifest: entry '" + entry.name + "': " + text);
  }
  [[noreturn]] void fail(size_t rank, const std::string &text) const {
    fail("rank " + std::to_string(rank) + ": " + text);
  }

  void checkBatch() const {
    for (const auto *tensors : {&entry.inputs, &entry.outputs})
      for (const TensorInfo &tensor : *tensors)
        if (tensor.batched() && tensor.shape[static_cast<size_t>(tensor.batchAxis)] != entry.batch)
          fail("tensor '" + tensor.name + "' is " + tensor.typeText() + ", but the batch is " +
               std::to_string(entry.batch));
  }

  // Fails unless `bytes` at `offset` lie in the rank's arena; checkPlace wants alignment too.
  void checkPlace(size_t rank, const std::string &what, int64_t offset, int64_t bytes) const {
    checkInside(rank, what, offset, bytes);
    if (offset % alignment != 0)
      fail(rank, what + " is at byte " + std::to_string(offset) + ", not a multiple of 64");
  }

  void checkInside(size_t rank, const std::string &what, int64_t offset, int64_t bytes) const {
    int64_t arena = entry.ranks[rank].arenaBytes;
    if (offset > arena || bytes > arena - offset)
      fail(rank, what + " ends at byte " + std::to_string(offset + bytes) + " of an arena of " + std::to_string(arena));
  }

  static const TensorInfo *find(const std::vector<TensorInfo> &tensors, const std::string &name) {
    for (const TensorInfo &tensor : tensors)
      if (tensor.name == name)
        return &tensor;
    return nullptr;
  }

  /// The rules that update a parameter; null if there are none.
  const module::OptimizerForm *formOf(const ParameterInfo &parameter) const {
    const std::string &whole = parameter.shard ? parameter.shard->whole : parameter.path;
    if (!groups.has(whole))
      fail("'" + whole + "' is no parameter of the model");
    return groups.formOf(whole);
  }

  // The least bytes of a persistent buffer of this name; an output may have a multiple, one value for each micro-batch.
  int64_t expectedBytes(size_t rank, const BufferInfo &buffer) const {
    if (buffer.kind == BufferKind::Precomputed || buffer.kind == BufferKind::State)
      return buffer.bytes; // checked with the results of its kernel
    if (buffer.kind == BufferKind::Input || buffer.kind == BufferKind::Output) {
      bool input = buffer.kind == BufferKind::Input;
      bool isWhole = input && !buffer.wholeOf.empty();
      const TensorInfo *tensor = find(input ? entry.inputs : entry.outputs, isWhole ? buffer.wholeOf : buffer.name);
      if (!tensor)
        fail(rank, "unknown " + std::string(input ? "input" : "output") + " '" + buffer.name + "'");
      auto bytes = static_cast<int64_t>(tensor->numBytes());
      if (isWhole || (input && !tensor->batched()))
        return bytes;
      // A replica's buffers have its own micro-batches alone.
      int64_t replica = entry.replicaOf(rank), first = entry.firstRun(replica), end = entry.firstRun(replica + 1);
      int64_t samples = entry.firstSample(end) - entry.firstSample(first);
      if (tensor->sumsSamples())
        return bytes * samples;
      return tensor->batched() ? bytes / entry.batch * samples : bytes * (end - first);
    }
    for (const ParameterInfo &parameter : manifest.held) {
      if (parameter.path != buffer.name)
        continue;
      const module::OptimizerForm *form = formOf(parameter);
      auto state = static_cast<size_t>(buffer.site);
      if (buffer.kind == BufferKind::Moment && form && state < form->states.size())
        return static_cast<int64_t>(module::momentOf(parameter, form->states[state]).numBytes());
      return static_cast<int64_t>(parameter.tensor().numBytes()) * buffer.groups;
    }
    fail(rank, "unknown parameter '" + buffer.name + "'");
  }

  void checkBuffer(size_t rank, const BufferInfo &buffer) const {
    checkPlace(rank, "'" + buffer.name + "'", buffer.offset, buffer.bytes);
    int64_t expected = expectedBytes(rank, buffer);
    bool perMicroBatch = buffer.kind == BufferKind::Output && buffer.bytes % entry.firstRun(1) == 0;
    if (buffer.bytes != expected && !(perMicroBatch && buffer.bytes > expected))
      fail(rank, "'" + buffer.name + "' has " + std::to_string(buffer.bytes) + " bytes, expected " +
                     std::to_string(expected));
  }

  void checkAction(size_t rank, const ActionInfo &action) {
    int64_t replica = entry.replicaOf(rank);
    if (action.microBatch >= 0 && action.op != Op::Step &&
        (action.microBatch < entry.firstRun(replica) || action.microBatch >= entry.firstRun(replica + 1)))
      fail(rank, "micro-batch " + std::to_string(action.microBatch) + " is none of replica " + std::to_string(replica) +
                     ", which runs " + std::to_string(entry.firstRun(replica)) + " to " +
                     std::to_string(entry.firstRun(replica + 1) - 1));
    switch (action.op) {
    case Op::Run:
      if (action.prepares() && !entry.ranks[rank].tasks[static_cast<size_t>(action.target)].prepares())
        fail(rank, "a task runs without a micro-batch");
      return checkResults(rank, action);
    case Op::Drop: return checkPlace(rank, "a dropped place", action.offset, action.bytes);
    case Op::Step:
      if (!hasGradients()) // in `gradient` the step ends the exchange of shared gradients
        fail(rank, "a step without a gradient");
      return;
    case Op::PostRecv:
    case Op::WaitRecv:
    case Op::Send:
    case Op::WaitSend: return checkMessage(rank, action);
    }
  }

  bool hasGradients() const {
    return std::any_of(entry.ranks.begin(), entry.ranks.end(), [](const RankInfo &rank) {
      return std::any_of(rank.buffers.begin(), rank.buffers.end(),
                         [](const BufferInfo &buffer) { return buffer.kind == BufferKind::Gradient; });
    });
  }

  // At most one step: all ranks meet there.
  void checkSteps(size_t rank) const {
    const auto &actions = entry.ranks[rank].actions;
    auto steps = std::count_if(actions.begin(), actions.end(), [](auto &action) { return action.op == Op::Step; });
    if (steps > 1)
      fail(rank, "found " + std::to_string(steps) + " steps, expected at most 1");
  }

  // Results of a task's kernels lie in the arena. Tasks run for many micro-batches, so their reach is computed once.
  void checkResults(size_t rank, const ActionInfo &action) {
    auto [known, isNew] =
        reaches.try_emplace({rank, action.target, entry.isShort(action.microBatch), entry.groupOf(action.microBatch)});
    if (isNew)
      known->second = reachOf(rank, action);
    for (size_t base = 0; base < action.at.size(); ++base)
      if (const Reach &reach = known->second[base]; reach.kernel)
        checkResult(rank, *reach.kernel, action.at[base] + reach.bytes);
  }

  // A micro-batch adds to a gradient buffer that has its accumulation group.
  void checkGroups(size_t rank, const BufferInfo &buffer, int64_t microBatch) const {
    if (int64_t group = entry.groupOf(microBatch);
        buffer.kind == BufferKind::Gradient && (group < buffer.group || group >= buffer.group + buffer.groups))
      fail(rank, "micro-batch " + std::to_string(microBatch) + " is of group " + std::to_string(group) +
                     ", but the gradient of '" + buffer.name + "' that it adds to has " +
                     std::to_string(buffer.groups) + " from " + std::to_string(buffer.group) + " on");
  }

  void checkResult(size_t rank, const KernelInfo &kernel, int64_t end) const {
    if (int64_t arena = entry.ranks[rank].arenaBytes; end > arena)
      fail(rank, "a result of kernel '" + kernel.name + "' ends at byte " + std::to_string(end) + " of an arena of " +
                     std::to_string(arena));
  }

  // The result that ends farthest behind a base of a task.
  struct Reach {
    const KernelInfo *kernel = nullptr;
    int64_t bytes = 0;
  };

  // The reach behind each base. Results in persistent buffers are checked at once.
  std::vector<Reach> reachOf(size_t rank, const ActionInfo &action) const {
    const RankInfo &plan = entry.ranks[rank];
    const TaskInfo &task = plan.tasks[static_cast<size_t>(action.target)];
    std::vector<Reach> reaches(static_cast<size_t>(task.bases));
    for (const CallInfo &call : task.calls) {
      const KernelInfo &kernel = manifest.kernels[static_cast<size_t>(entry.kernelOf(call, action.microBatch))];
      auto numOperands = static_cast<int64_t>(call.operands.size());
      auto reach = [&](int64_t operand, int64_t bytes) {
        if (operand < 0) {
          checkGroups(rank, plan.buffers[static_cast<size_t>(-operand - 1)], action.microBatch);
          return checkResult(rank, kernel, entry.offsetOf(plan, operand, action) + bytes);
        }
        const module::SlotInfo &slot = task.slots[static_cast<size_t>(operand)];
        Reach &farthest = reaches[static_cast<size_t>(slot.base)];
        if (slot.offset + bytes > farthest.bytes)
          farthest = {&kernel, slot.offset + bytes};
      };
      if (kernel.loop && kernel.loop->bytes.size() != call.operands.size())
        fail(rank, "kernel '" + kernel.name + "' is called with " + std::to_string(numOperands) +
                       " operands, but its iterations read and write " + std::to_string(kernel.loop->bytes.size()));
      for (const module::RealOperand &input : kernel.inputs)
        if (input.operand >= numOperands)
          fail(rank, "kernel '" + kernel.name + "' is called with " + std::to_string(numOperands) +
                         " operands, but operand #" + std::to_string(input.operand) + " is an input");
      for (const module::RealOperand &result : kernel.results) {
        if (result.operand >= numOperands)
          fail(rank, "kernel '" + kernel.name + "' is called with " + std::to_string(numOperands) +
                         " operands, but operand #" + std::to_string(result.operand) + " is a result");
        reach(call.operands[static_cast<size_t>(result.operand)],
              result.elements * static_cast<int64_t>(byteWidth(result.type)));
      }
      for (size_t i = 0; kernel.loop && i < call.operands.size(); ++i)
        reach(call.operands[i], kernel.loop->bytes[i]);
    }
    return reaches;
  }

  void checkMessage(size_t rank, const ActionInfo &action) {
    const ChannelInfo &channel = entry.channels[static_cast<size_t>(action.target)];
    bool sends = action.op == Op::Send || action.op == Op::WaitSend;
    int64_t end = sends ? channel.source : channel.destination;
    if (end != static_cast<int64_t>(rank))
      fail(rank, "channel '" + channel.name + "' is used here, but its " + (sends ? "source" : "destination") +
                     " is rank " + std::to_string(end));
    if (channel.perStep != (action.microBatch < 0))
      fail(rank, "channel '" + channel.name + "' is used for micro-batch " + std::to_string(action.microBatch) +
                     ", but it is per " + (channel.perStep ? "step" : "micro-batch"));
    if (action.op == Op::Send || action.op == Op::PostRecv)
      // Not aligned: a micro-batch's slice of an input or output may begin anywhere.
      checkInside(rank, "a message of channel '" + channel.name + "'", action.offset,
                  entry.bytesOf(channel, action.microBatch));
    messages[{action.target, action.microBatch}].push_back(action.op);
  }

  void checkOutputs() const {
    for (size_t i = 0; i < entry.outputs.size(); ++i) {
      if (entry.outputRanks[i] >= entry.ranksOfReplica())
        fail("output '" + entry.outputs[i].name + "' is on rank " + std::to_string(entry.outputRanks[i]) +
             ", which is none of the first replica");
      for (int64_t replica = 0; replica < entry.replicas; ++replica)
        if (size_t rank = entry.rankIn(replica, entry.outputRanks[i]);
            !entry.ranks[rank].find(BufferKind::Output, entry.outputs[i].name))
          fail(rank, "no place for output '" + entry.outputs[i].name + "'");
    }
  }

  // Each message is posted and sent once, and awaited once on both sides, after its start.
  void checkMessages() const {
    for (const auto &[key, ops] : messages) {
      const std::string &name = entry.channels[static_cast<size_t>(key.first)].name;
      std::vector<Op> sorted = ops;
      std::sort(sorted.begin(), sorted.end());
      auto buffer = [&](Op op) { return std::find(ops.begin(), ops.end(), op); };
      bool complete = sorted == std::vector<Op>{Op::PostRecv, Op::WaitRecv, Op::Send, Op::WaitSend};
      if (!complete || buffer(Op::PostRecv) > buffer(Op::WaitRecv) || buffer(Op::Send) > buffer(Op::WaitSend))
        fail("channel '" + name + "', micro-batch " + std::to_string(key.second) +
             ": expected one post_recv before one wait_recv and one send before one wait_send");
    }
  }

  /// Checks that there are rules for a parameter, that its moments have their sizes, that the arena has room for
  /// its update, and that a rank that updates a whole has all shards.
  void checkUpdate(size_t rank, const ParameterInfo &parameter, const module::OptimizerForm *form) const {
    size_t number = form ? static_cast<size_t>(form - manifest.optimizer.forms.data()) : manifest.updates.size();
    const module::UpdateProgram *program = number < manifest.updates.size()
                                               ? manifest.updates[number].find(module::updatedShape(wholeOf(parameter)))
                                               : nullptr;
    if (!program)
      fail(rank, "parameter '" + parameter.path + "' is trained, but 'updates' has no rules for its axes");
    if (form->isElementwise())
      return;
    const RankInfo &plan = entry.ranks[rank];
    for (const ParameterInfo &other : manifest.held)
      if (parameter.shard && other.shard && other.shard->whole == parameter.shard->whole)
        if (const BufferInfo *buffer = plan.find(BufferKind::Parameter, other.path);
            !buffer || !buffer->owned || !plan.find(BufferKind::Gradient, other.path))
          fail(rank, "optimizer '" + form->kind + "' updates '" + parameter.shard->whole +
                         "' as a whole, but the rank does not own '" + other.path + "'");
    int64_t room = plan.arenaBytes - module::endOfBuffers(plan),
            needed = module::layoutOf(*program, *form, static_cast<int64_t>(byteWidth(parameter.type)),
                                      parameter.shard.has_value())
                         .bytes;
    if (needed > room)
      fail(rank, "the update of parameter '" + parameter.path + "' needs " + std::to_string(needed) +
                     " bytes behind the persistent buffers, where the arena has " + std::to_string(room));
  }

  /// The parameter, or the whole of which it is a shard.
  const ParameterInfo &wholeOf(const ParameterInfo &held) const {
    if (held.shard)
      for (const ParameterInfo &whole : manifest.parameters)
        if (whole.path == held.shard->whole)
          return whole;
    return held;
  }

  // A parameter has at most one owner. The owner has gradient sites and all moments, or none of them if the loss does
  // not depend on the parameter.
  void checkTraining() const {
    for (const ParameterInfo &parameter : manifest.held) {
      const module::OptimizerForm *form = formOf(parameter);
      const std::vector<module::OptimizerState> none, &states = form ? form->states : none;
      int owners = 0;
      for (size_t rank = 0; rank < entry.ranks.size(); ++rank) {
        std::map<BufferKind, int> found;
        bool owned = false;
        for (const BufferInfo &buffer : entry.ranks[rank].buffers) {
          if (buffer.name != parameter.path || buffer.kind == BufferKind::Input || buffer.kind == BufferKind::Output)
            continue;
          ++found[buffer.kind];
          owned |= buffer.kind == BufferKind::Parameter && buffer.owned;
        }
        owners += owned;
        int moments = static_cast<int>(states.size()), expected = !parameter.frozen && found[BufferKind::Gradient] > 0;
        owned &= !parameter.frozen || parameter.replaced;
        if (owned && found[BufferKind::Moment] != moments * expected)
          fail(rank, "parameter '" + parameter.path + "' is owned here with " +
                         std::to_string(found[BufferKind::Gradient]) + " gradient sites and " +
                         std::to_string(found[BufferKind::Moment]) + " moments, but '" +
                         (form ? form->kind : manifest.optimizer.kind) + "' keeps " +
                         std::to_string(parameter.replaced ? 0 : moments) + " moments beside each gradient");
        if (owned && expected && entry.trains())
          checkUpdate(rank, parameter, form);
        if (owned && found[BufferKind::Average] != manifest.optimizer.keepsAverages() * expected)
          fail(rank, "parameter '" + parameter.path + "' is owned here with " +
                         std::to_string(found[BufferKind::Average]) + " averages, but 'optimizer.ema' is " +
                         shortestDigits(ElementType::F64, manifest.optimizer.ema));
      }
      if (owners > 1)
        fail("parameter '" + parameter.path + "' has " + std::to_string(owners) + " owners, expected 1");
    }
  }

  const std::string &file;
  const Manifest &manifest;
  const EntryPlan &entry;
  const module::ParameterGroups groups;
  std::map<std::pair<int64_t, int64_t>, std::vector<Op>> messages;
  std::map<std::tuple<size_t, int64_t, bool, int64_t>, std::vector<Reach>>
      reaches; // by rank, task, whether it is short, and accumulation group
};

} // namespace

namespace {

/// Checks that the iterations of a loop read and write inside its operands.
class LoopChecker {
public:
  LoopChecker(const std::string &file, const Manifest &manifest, const KernelInfo &kernel)
      : file(file), manifest(manifest), kernel(kernel), loop(*kernel.loop) {}

  void check() const {
    for (size_t i = 0; i < loop.steps.size(); ++i)
      checkStep(i);
    for (const module::EndInfo &end : loop.ends)
      for (const module::IterationOffset &buffer : {end.from, end.to})
        checkPlace("what it copies at its end", buffer, loop.iterations - 1, end.bytes);
  }

private:
  void checkStep(size_t number) const {
    const module::StepInfo &step = loop.steps[number];
    const KernelInfo &called = manifest.kernels[static_cast<size_t>(step.kernel)];
    std::vector<std::pair<int64_t, int64_t>> sizes; // operand, bytes
    for (const auto *operands : {&called.inputs, &called.results})
      for (const module::RealOperand &each : *operands)
        sizes.emplace_back(each.operand, each.elements * static_cast<int64_t>(byteWidth(each.type)));
    for (size_t i = 0; called.loop && i < called.loop->bytes.size(); ++i)
      sizes.emplace_back(static_cast<int64_t>(i), called.loop->bytes[i]);
    std::string what = "step " + std::to_string(number);
    for (auto [operand, bytes] : sizes) {
      if (operand >= static_cast<int64_t>(step.operands.size()))
        fail(what + " calls kernel '" + called.name + "' with " + std::to_string(step.operands.size()) +
             " operands, but it has one #" + std::to_string(operand));
      // The offset is linear in the iteration. So the first and the last iteration of each of the three are enough.
      for (int64_t count = 0; count < std::min<int64_t>(loop.iterations, 3); ++count) {
        const module::IterationOffset &buffer = step.operands[static_cast<size_t>(operand)][static_cast<size_t>(count)];
        checkPlace(what, buffer, count, bytes);
        if (count > 0)
          checkPlace(what, buffer, loop.iterations - 1 - (loop.iterations - 1 - count) % 2, bytes);
      }
    }
  }

  void checkPlace(const std::string &what, const module::IterationOffset &buffer, int64_t count, int64_t bytes) const {
    int64_t size = loop.bytes[static_cast<size_t>(buffer.operand)], moved = 0, begin = 0;
    if (__builtin_mul_overflow(loop.iterationAt(count), buffer.perIteration, &moved) ||
        __builtin_add_overflow(moved, buffer.offset, &begin) || begin < 0 || bytes > size || begin > size - bytes)
      fail(what + " reads or writes " + std::to_string(bytes) + " bytes of operand #" + std::to_string(buffer.operand) +
           " in iteration " + std::to_string(loop.iterationAt(count)) + ", beyond its " + std::to_string(size));
  }

  [[noreturn]] void fail(const std::string &text) const {
    throw fileError(file, "manifest: loop '" + kernel.name + "': " + text);
  }

  const std::string &file;
  const Manifest &manifest;
  const KernelInfo &kernel;
  const module::LoopInfo &loop;
};

} // namespace

Manifest parseManifest(const std::string &file, std::string_view text) {
  Manifest manifest;
  try {
    manifest = module::readManifest(text);
  } catch (const module::FormatError &error) {
    throw fileError(file, error.what());
  }
  checkManifest(file, manifest);
  return manifest;
}

void checkManifest(const std::string &file, const Manifest &manifest) {
  std::map<std::string, int> paths;
  for (const ParameterInfo &parameter : manifest.parameters)
    if (++paths[parameter.path] > 1)
      throw fileError(file, "manifest: parameter '" + parameter.path + "' is listed twice");
  for (const ParameterInfo &parameter : manifest.held) {
    if (!isComputeType(parameter.type) && !parameter.frozen)
      throw fileError(file, "manifest: parameter '" + parameter.path + "' is " + parameter.tensor().typeText() +
                                ", which is not trained, but is not frozen");
    if (parameter.replaced && !(parameter.frozen && isComputeType(parameter.type)))
      throw fileError(file, "manifest: parameter '" + parameter.path + "' is replaced by steps, but is not " +
                                (parameter.frozen ? "f32 or f64" : "frozen"));
  }
  for (const KernelInfo &kernel : manifest.kernels)
    if (kernel.loop)
      LoopChecker(file, manifest, kernel).check();
  checkUpdates(file, manifest);
  for (const EntryPlan &entry : manifest.entries) {
    EntryChecker(file, manifest, entry).check();
  }
}

} // namespace plc::runtime
