//===- ProveOrder.cpp - runs, messages, tags, slots, deadlock -------------===//
#include "Proof.h"

#include "plc/Planner/Base/Order.h"

#include <array>
#include <map>

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using module::ActionInfo;

LogicalResult plc::plan::proveRuns(TableOfProgram &both) {
  std::map<Operation *, int64_t> next; // by task: the number of its runs so far
  for (auto [index, rank] : llvm::enumerate(both.table.ranks)) {
    bool hasBegun = false; // anything but P has run
    for (auto [number, action] : llvm::enumerate(rank.actions)) {
      if (action.op != ActionInfo::Op::Run) {
        hasBegun |= action.op != ActionInfo::Op::Drop; // a drop behind P frees its temporaries
        continue;
      }
      TaskOp task = both.taskOf(rank, action).op;
      auto stage = cast<StageOp>(task->getParentOp());
      ActionInterface run = both.actions[index][number];
      if (int64_t(stage.getRank()) != int64_t(index))
        return run->emitOpError("stands on rank ")
               << index << " but stage '" << stage.getSymName() << "' is on rank " << stage.getRank();
      int64_t &done = next[task];
      if (task.getRole() == Role::P) {
        if (hasBegun || done++ || !action.prepares())
          return run->emitOpError("prepares '") << stage.getSymName() << "' for micro-batch " << action.microBatch
                                                << ", where it must once for all, before the rank does anything else";
        continue;
      }
      hasBegun = true;
      // Index order fixes the order in which gradients are added, and so their bits.
      int64_t expected = both.table.firstRun(stage.getReplica()) + done;
      if (action.microBatch != expected || expected >= both.table.firstRun(stage.getReplica() + 1))
        return run->emitOpError("runs micro-batch ") << action.microBatch << " where micro-batch " << expected << " of "
                                                     << both.table.firstRun(stage.getReplica() + 1) << " is next";
      ++done;
    }
  }
  // Second pass: tasks that were never run, or too few times.
  for (auto stage : both.program.getBody().getOps<StageOp>())
    for (auto task : stage.getBody().getOps<TaskOp>())
      if (int64_t done = next[task], first = task.getRole() == Role::P ? 0 : both.table.firstRun(stage.getReplica());
          done != (task.getRole() == Role::P ? 1 : both.table.firstRun(1)))
        return task.emitOpError(stringifyRole(task.getRole()))
               << " of '" << stage.getSymName() << "' is never run for micro-batch " << first + done;
  return success();
}

namespace {

using Op = ActionInfo::Op;
constexpr Op parts[] = {Op::PostRecv, Op::WaitRecv, Op::Send, Op::WaitSend};

/// An action of the table and where it came from.
struct Action {
  const ActionInfo *info;
  ActionInterface op;
  int64_t node; // among all actions of all ranks
};

// The four actions of each message of a channel, as nodes, in index order.
struct Messages {
  const module::ChannelInfo &channel;
  ChannelOp op;
  int64_t first = 0, count = 0;                // micro-batches
  std::array<std::vector<int64_t>, 4> nodes{}; // of each of `parts`
  std::vector<int64_t> &of(Op part) { return nodes[std::find(parts, std::end(parts), part) - parts]; }
};

// Collects the actions of all ranks as nodes of one graph, and checks channels, tags and waits.
class MessageProof {
public:
  explicit MessageProof(TableOfProgram &both) : both(both) {}

  LogicalResult collect() {
    llvm::StringMap<ChannelOp> byRoute;
    // One channel per route: a receiver must know which message comes next.
    for (auto [info, channel] : llvm::zip(both.table.channels, both.channels)) {
      auto [it, inserted] = byRoute.try_emplace(channel.getRoute(), channel);
      if (!inserted)
        return channel.emitOpError("carries '")
               << channel.getRoute() << "', as '" << it->second.getSymName() << "' does";
      int64_t first = info.perStep ? -1 : both.table.firstRun(both.table.replicaOf(info.source));
      messages.push_back({info, channel, first, info.perStep ? 1 : both.table.firstRun(1), {}});
    }
    for (auto route : both.program.getBody().getOps<RouteOp>())
      if (both.routes().crossesRanks(route) && !byRoute.contains(route.getSymName()))
        return route.emitOpError("joins two ranks but no channel carries it: run '--plan-insert-comm' first");
    size_t count = 0;
    for (const module::RankInfo &rank : both.table.ranks)
      count += rank.actions.size();
    nodes.reserve(count);
    edges.reserve(2 * count);
    for (size_t rank = 0; rank < both.table.ranks.size(); ++rank)
      if (failed(walk(rank)))
        return failure();
    // Index order has been checked action by action, so a count suffices here.
    for (Messages &each : messages)
      for (Op part : parts)
        if (int64_t done = each.of(part).size(); done != each.count)
          return each.op.emitOpError("has no '") << nameOf(part) << "' for micro-batch " << each.first + done;
    return success();
  }

  // Tags must be unique between two ranks, over both directions.
  LogicalResult checkTags() {
    std::map<std::tuple<int64_t, int64_t, int64_t>, std::pair<ChannelOp, int64_t>> taken;
    for (const Messages &each : messages)
      for (int64_t i = 0; i < each.count; ++i) {
        std::pair<int64_t, int64_t> ends = std::minmax<int64_t>({each.channel.source, each.channel.destination});
        int64_t tag = each.channel.tag + 2 * (std::max<int64_t>(each.first, 0) + i);
        auto [it, inserted] = taken.try_emplace({ends.first, ends.second, tag}, each.op, each.first + i);
        if (inserted)
          continue;
        ChannelOp op = each.op, other = it->second.first;
        InFlightDiagnostic error = op.emitOpError("has tag ")
                                   << tag << " for micro-batch " << each.first + i << ", which is also a tag of '"
                                   << other.getSymName() << "'";
        error.attachNote(other.getLoc()) << "micro-batch " << it->second.second << " of '" << other.getSymName() << "'";
        return error;
      }
    return checkTagOrder();
  }

  // Unique tags are not enough: another process computes tags by this rule, so they must follow it.
  LogicalResult checkTagOrder() {
    std::map<std::pair<int64_t, int64_t>, int64_t> ordinals;
    for (Messages &each : messages) {
      std::pair<int64_t, int64_t> ends = std::minmax<int64_t>({each.channel.source, each.channel.destination});
      int64_t ordinal = ordinals[ends]++;
      int64_t expected =
          2 * both.table.microBatches * ordinal + (each.channel.source < each.channel.destination ? 0 : 1);
      if (each.channel.tag != expected)
        return each.op.emitOpError("has tag ") << each.channel.tag << " but as channel " << ordinal << " between ranks "
                                               << ends.first << " and " << ends.second << " needs " << expected;
    }
    return success();
  }

  // Looks for a cycle of waits among the actions of all ranks, with one more node where all ranks meet at the step.
  // Reports each wait of a cycle.
  LogicalResult checkWaits() {
    for (Messages &each : messages)
      for (int64_t i = 0; i < each.count; ++i) {
        edges.emplace_back(each.of(Op::PostRecv)[i], each.of(Op::WaitSend)[i]);
        edges.emplace_back(each.of(Op::Send)[i], each.of(Op::WaitRecv)[i]);
      }
    // Every step waits until all ranks have reached theirs.
    int64_t meeting = nodes.size();
    // The meeting depends on what precedes each step, not on the step, which it precedes.
    for (auto [before, step] : steps) {
      if (before >= 0)
        edges.emplace_back(before, meeting);
      edges.emplace_back(meeting, step);
    }
    std::vector<int64_t> cycle = planner::findCycle(meeting + 1, edges);
    if (cycle.empty())
      return success();
    std::vector<Action> waits;
    for (int64_t node : cycle)
      if (node != meeting && (nodes[node].info->isMessage() || nodes[node].info->op == Op::Step))
        waits.push_back(nodes[node]);
    InFlightDiagnostic error = waits.front().op->emitOpError("waits for itself: the ranks deadlock");
    for (Action &action : waits)
      error.attachNote(action.op->getLoc())
          << describe(action) << ", on rank " << cast<RankOp>(action.op->getParentOp()).getIndex()
          << " comes before the next";
    return error;
  }

private:
  std::string describe(const Action &action) {
    if (!action.info->isMessage())
      return "step, which all ranks take together";
    StringRef channel = both.channels[action.info->target].getSymName();
    return (nameOf(action.info->op) + " of '" + channel + "', micro-batch " + Twine(action.info->microBatch)).str();
  }

  static StringRef nameOf(Op part) {
    return part == Op::PostRecv   ? "post_recv"
           : part == Op::WaitRecv ? "wait_recv"
           : part == Op::Send     ? "send"
                                  : "wait_send";
  }

  // Collects the actions of a rank, and checks their rank, their index order, and slots.
  LogicalResult walk(size_t rank) {
    for (auto [index, info] : llvm::enumerate(both.table.ranks[rank].actions)) {
      Action action{&info, both.actions[rank][index], int64_t(nodes.size())};
      // A rank takes its actions in order.
      if (index)
        edges.emplace_back(action.node - 1, action.node);
      nodes.push_back(action);
      if (info.op == Op::Step)
        steps.emplace_back(index ? action.node - 1 : -1, action.node);
      if (info.isMessage() && failed(add(action, rank)))
        return failure();
    }
    return success();
  }

  LogicalResult add(Action action, int64_t rank) {
    const ActionInfo &info = *action.info;
    Operation *op = action.op;
    Messages &each = messages[info.target];
    StringRef name = each.op.getSymName();
    int64_t home = info.isSend() ? each.channel.source : each.channel.destination;
    if (home != rank)
      return op->emitOpError("stands on rank ") << rank << " but this end of '" << name << "' is rank " << home;
    std::vector<int64_t> &done = each.of(info.op);
    int64_t next = each.first + done.size();
    if (info.microBatch != next || next >= each.first + each.count)
      return op->emitOpError("is for micro-batch ")
             << info.microBatch << " of '" << name << "' where " << next << " is next";
    done.push_back(action.node);
    if ((info.op == Op::WaitRecv && each.of(Op::PostRecv).size() < done.size()) ||
        (info.op == Op::WaitSend && each.of(Op::Send).size() < done.size()))
      return op->emitOpError("waits for micro-batch ") << next << " of '" << name << "' before it is started";
    // Only the receiver's slots are limited: a sender's bytes are its own.
    int64_t open = each.of(Op::PostRecv).size() - each.of(Op::WaitRecv).size();
    if (info.op == Op::PostRecv && open > each.channel.slots)
      return op->emitOpError("is receive ")
             << open << " of '" << name << "' posted at once, which has " << each.channel.slots << " slots";
    return success();
  }

  TableOfProgram &both;
  std::vector<Messages> messages; // by channel
  std::vector<Action> nodes;
  planner::Edges edges, steps; // of each step, what comes before it on its rank (-1: nothing) and itself
};

} // namespace

LogicalResult plc::plan::proveMessages(TableOfProgram &both) {
  MessageProof proof(both);
  return success(succeeded(proof.collect()) && succeeded(proof.checkTags()) && succeeded(proof.checkWaits()));
}
