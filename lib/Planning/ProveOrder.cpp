//===- ProveOrder.cpp - runs, messages, tags, slots, deadlock -------------===//
#include "Proof.h"

#include "plc/Planner/Order.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

LogicalResult plc::plan::proveRuns(ProgramOp program, const RouteTable &routes) {
  std::map<std::pair<StringRef, Role>, int64_t> next;
  for (auto rank : program.getBody().getOps<RankOp>())
    for (auto run : rank.getBody().getOps<RunOp>()) {
      StageOp stage = routes.stage(run.getStage());
      if (stage.getRank() != rank.getIndex())
        return run.emitOpError("stands on rank ")
               << rank.getIndex() << " but stage '" << run.getStage() << "' is on rank " << stage.getRank();
      int64_t &expected = next[{stage.getSymName(), run.getRole()}];
      if (run.getMb() != expected || expected >= program.getMicroBatches())
        return run.emitOpError("runs micro-batch ")
               << run.getMb() << " where micro-batch " << expected << " of " << program.getMicroBatches() << " is next";
      ++expected;
    }
  for (auto stage : program.getBody().getOps<StageOp>())
    for (auto task : stage.getBody().getOps<TaskOp>())
      if (int64_t done = next[{stage.getSymName(), task.getRole()}]; done != program.getMicroBatches())
        return task.emitOpError(stringifyRole(task.getRole()))
               << " of '" << stage.getSymName() << "' is never run for micro-batch " << done;
  return success();
}

namespace {

constexpr MessagePart parts[] = {MessagePart::post, MessagePart::waitReceive, MessagePart::send, MessagePart::waitSend};
constexpr const char *partNames[] = {"post_recv", "wait_recv", "send", "wait_send"};

StringRef channelOf(ActionInterface action) { return action.getMessageChannel().getValue(); }

// The four actions of each message of a channel, in index order.
struct Messages {
  ChannelOp channel;
  int64_t first = 0, count = 0;            // micro-batches
  SmallVector<ActionInterface> actions[4]; // by part
  SmallVector<ActionInterface> &operator[](MessagePart part) { return actions[int(part)]; }
};

class MessageProof {
public:
  MessageProof(ProgramOp program, const RouteTable &routes) : program(program), routes(routes) {}

  LogicalResult collect() {
    for (auto channel : program.getBody().getOps<ChannelOp>()) {
      RouteOp route = routes.routeOf(channel);
      auto [it, inserted] = byRoute.try_emplace(channel.getRoute(), channel);
      if (!inserted)
        return channel.emitOpError("carries '")
               << channel.getRoute() << "', as '" << it->second.getSymName() << "' does";
      bool step = route.getPer() == Per::step;
      messages[channel.getSymName()] = {channel, step ? -1 : 0, step ? 1 : program.getMicroBatches(), {}};
    }
    for (auto route : program.getBody().getOps<RouteOp>())
      if (routes.crossesRanks(route) && !byRoute.contains(route.getSymName()))
        return route.emitOpError("joins two ranks but no channel carries it: run '--plan-insert-comm' first");
    for (auto rank : program.getBody().getOps<RankOp>())
      if (failed(walk(rank)))
        return failure();
    for (auto &[name, each] : messages)
      for (MessagePart part : parts)
        if (int64_t done = each[part].size(); done != each.count)
          return each.channel.emitOpError("has no '")
                 << partNames[int(part)] << "' for micro-batch " << each.first + done;
    return success();
  }

  LogicalResult checkTags() {
    std::map<std::tuple<int64_t, int64_t, int64_t>, std::pair<ChannelOp, int64_t>> taken;
    for (auto &[name, each] : messages)
      for (int64_t i = 0; i < each.count; ++i) {
        std::pair<int64_t, int64_t> ends =
            std::minmax<int64_t>({each.channel.getSource(), each.channel.getDestination()});
        int64_t tag = each.channel.getTag() + 2 * i;
        auto [it, inserted] = taken.try_emplace({ends.first, ends.second, tag}, each.channel, each.first + i);
        if (inserted)
          continue;
        InFlightDiagnostic error = each.channel.emitOpError("has tag ")
                                   << tag << " for micro-batch " << each.first + i << ", which is also a tag of '"
                                   << it->second.first.getSymName() << "'";
        error.attachNote(it->second.first.getLoc())
            << "micro-batch " << it->second.second << " of '" << it->second.first.getSymName() << "'";
        return error;
      }
    return checkTagOrder();
  }

  // Exchanged tags are unique too, but not what the other process computes.
  LogicalResult checkTagOrder() {
    std::map<std::pair<int64_t, int64_t>, int64_t> ordinals;
    for (auto channel : program.getBody().getOps<ChannelOp>()) {
      std::pair<int64_t, int64_t> ends = std::minmax<int64_t>({channel.getSource(), channel.getDestination()});
      int64_t ordinal = ordinals[ends]++;
      int64_t expected =
          2 * program.getMicroBatches() * ordinal + (channel.getSource() < channel.getDestination() ? 0 : 1);
      if (int64_t(channel.getTag()) != expected)
        return channel.emitOpError("has tag ") << channel.getTag() << " but as channel " << ordinal << " between ranks "
                                               << ends.first << " and " << ends.second << " needs " << expected;
    }
    return success();
  }

  // Actions of all ranks as nodes; on a cycle, tells each wait of it.
  LogicalResult checkWaits() {
    std::vector<Operation *> nodes;
    DenseMap<Operation *, int64_t> number;
    planner::Edges edges;
    for (auto rank : program.getBody().getOps<RankOp>()) {
      bool first = true;
      for (Operation &op : rank.getBody().front()) {
        if (!first)
          edges.emplace_back(nodes.size() - 1, nodes.size());
        first = false;
        number[&op] = nodes.size();
        nodes.push_back(&op);
      }
    }
    for (auto &[name, each] : messages)
      for (int64_t i = 0; i < each.count; ++i) {
        edges.emplace_back(number[each[MessagePart::post][i]], number[each[MessagePart::waitSend][i]]);
        edges.emplace_back(number[each[MessagePart::send][i]], number[each[MessagePart::waitReceive][i]]);
      }
    std::vector<int64_t> cycle = planner::findCycle(nodes.size(), edges);
    if (cycle.empty())
      return success();
    std::vector<ActionInterface> waits;
    for (int64_t node : cycle)
      if (auto action = dyn_cast<ActionInterface>(nodes[node]); action && action.getMessagePart())
        waits.push_back(action);
    InFlightDiagnostic error = waits.front()->emitOpError("waits for itself: the ranks deadlock");
    for (ActionInterface action : waits)
      error.attachNote(action->getLoc()) << partNames[int(*action.getMessagePart())] << " of '" << channelOf(action)
                                         << "', micro-batch " << action.getMicroBatch() << ", on rank "
                                         << cast<RankOp>(action->getParentOp()).getIndex() << " comes before the next";
    return error;
  }

private:
  // Collects actions of a rank, checks their rank, index order and slots.
  LogicalResult walk(RankOp rank) {
    for (auto action : rank.getBody().getOps<ActionInterface>()) {
      std::optional<MessagePart> part = action.getMessagePart();
      if (!part)
        continue;
      Messages &each = messages.find(channelOf(action))->second;
      int64_t home = action.isSend() ? each.channel.getSource() : each.channel.getDestination();
      if (home != int64_t(rank.getIndex()))
        return action->emitOpError("stands on rank ")
               << rank.getIndex() << " but this end of '" << channelOf(action) << "' is rank " << home;
      int64_t next = each.first + each[*part].size();
      if (action.getMicroBatch() != next || next >= each.first + each.count)
        return action->emitOpError("is for micro-batch ")
               << action.getMicroBatch() << " of '" << channelOf(action) << "' where " << next << " is next";
      each[*part].push_back(action);
      size_t waited = each[*part].size();
      if (action.isWait() && each[action.isSend() ? MessagePart::send : MessagePart::post].size() < waited)
        return action->emitOpError("waits for micro-batch ")
               << next << " of '" << channelOf(action) << "' before it is started";
      int64_t open = each[MessagePart::post].size() - each[MessagePart::waitReceive].size();
      if (*part == MessagePart::post && open > int64_t(each.channel.getSlots()))
        return action->emitOpError("is receive ")
               << open << " of '" << channelOf(action) << "' posted at once, which has " << each.channel.getSlots()
               << " slots";
    }
    return success();
  }

  ProgramOp program;
  const RouteTable &routes;
  llvm::MapVector<StringRef, Messages> messages;
  llvm::StringMap<ChannelOp> byRoute;
};

} // namespace

LogicalResult plc::plan::proveMessages(ProgramOp program, const RouteTable &routes) {
  MessageProof proof(program, routes);
  return success(succeeded(proof.collect()) && succeeded(proof.checkTags()));
}

LogicalResult plc::plan::proveNoDeadlock(ProgramOp program, const RouteTable &routes) {
  MessageProof proof(program, routes);
  return success(succeeded(proof.collect()) && succeeded(proof.checkWaits()));
}
