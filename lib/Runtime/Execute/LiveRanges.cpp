// Reads lifetimes out of a rank's action table.
#include "LiveRanges.h"

#include <map>

namespace plc::runtime {

namespace {

using Op = ActionInfo::Op;

/// A value that is live before the actions begin+1 .. end.
struct Lifetime {
  size_t begin, end;
  int64_t offset, bytes;
};

/// The lifetimes of one rank, found backward from its drops.
class RankLifetimes {
public:
  RankLifetimes(const Manifest &manifest, const EntryPlan &entry, const RankInfo &plan)
      : manifest(manifest), entry(entry), plan(plan), actions(plan.actions) {
    for (size_t i = 0; i < actions.size(); ++i)
      if (actions[i].op == Op::WaitRecv || actions[i].op == Op::WaitSend)
        waits[{actions[i].op, actions[i].target, actions[i].microBatch}] = i;
    for (size_t i = 0; i < actions.size(); ++i)
      if (actions[i].op == Op::Drop)
        add(i);
  }

  // The values live before the run where they are the most bytes. Quadratic in the table; a check runs it once.
  std::vector<LiveRange> peak(size_t rank) const {
    std::vector<LiveRange> most;
    int64_t mostBytes = 0;
    for (size_t action = 0; action < actions.size(); ++action) {
      if (actions[action].op != Op::Run)
        continue;
      std::vector<LiveRange> buffers;
      int64_t bytes = 0;
      for (const Lifetime &life : lifetimes)
        if (life.begin < action && action < life.end && !onItsWay(life, action)) {
          buffers.push_back({rank, action, life.offset, life.bytes});
          bytes += life.bytes;
        }
      if (bytes > mostBytes) {
        mostBytes = bytes;
        most = std::move(buffers);
      }
    }
    return most;
  }

private:
  // Adds the lifetime that a drop ends. Iterates backward to the action that made the value.
  void add(size_t drop) {
    const ActionInfo &buffer = actions[drop];
    for (size_t i = drop; i-- > 0;) {
      const ActionInfo &action = actions[i];
      // Some of these bytes were dropped since they were written: no value of this size is live.
      if (action.op == Op::Drop && action.offset < buffer.offset + buffer.bytes &&
          buffer.offset < action.offset + action.bytes)
        return;
      if (action.op == Op::Run ? writes(action, buffer.offset)
                               : action.op == Op::PostRecv && action.offset == buffer.offset) {
        // A received value is live once its wait is over, not when the receive is posted.
        size_t begin = action.op == Op::Run ? i : waits.at({Op::WaitRecv, action.target, action.microBatch});
        lifetimes.push_back({begin, drop, buffer.offset, buffer.bytes});
        return;
      }
    }
  }

  // Whether a run writes a result of a real type at this offset.
  bool writes(const ActionInfo &run, int64_t offset) const {
    for (const CallInfo &call : plan.tasks[static_cast<size_t>(run.target)].calls)
      for (const module::RealOperand &result :
           manifest.kernels[static_cast<size_t>(entry.kernelOf(call, run.microBatch))].results)
        if (entry.offsetOf(plan, call.operands[static_cast<size_t>(result.operand)], run) == offset)
          return true;
    return false;
  }

  // Whether a message out of these bytes was sent and not yet waited for.
  bool onItsWay(const Lifetime &life, size_t before) const {
    for (size_t i = life.begin; i < before; ++i) {
      const ActionInfo &action = actions[i];
      if (action.op == Op::Send && action.offset >= life.offset && action.offset < life.offset + life.bytes &&
          waits.at({Op::WaitSend, action.target, action.microBatch}) >= before)
        return true;
    }
    return false;
  }

  const Manifest &manifest;
  const EntryPlan &entry;
  const RankInfo &plan;
  const std::vector<ActionInfo> &actions;
  std::map<std::tuple<Op, int64_t, int64_t>, size_t> waits;
  std::vector<Lifetime> lifetimes;
};

} // namespace

std::vector<LiveRange> liveRangesAtPeak(const Manifest &manifest, const EntryPlan &plan) {
  std::vector<LiveRange> buffers;
  for (size_t rank = 0; rank < plan.ranks.size(); ++rank)
    for (const LiveRange &buffer : RankLifetimes(manifest, plan, plan.ranks[rank]).peak(rank))
      buffers.push_back(buffer);
  return buffers;
}

} // namespace plc::runtime
