//===- ProveOrder.cpp - runs, messages, tags, slots, deadlock -------------===//
#include "Proof.h"

#include "plc/Planner/Order.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

LogicalResult plc::plan::proveRuns(ProgramOp program) {
  SymbolTable symbols(program);
  std::map<std::pair<StringRef, Role>, int64_t> next;
  for (auto rank : program.getBody().getOps<RankOp>())
    for (auto run : rank.getBody().getOps<RunOp>()) {
      auto stage = symbols.lookup<StageOp>(run.getStage());
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

enum Part { Post, WaitRecv, Send, WaitSend };
constexpr const char *partNames[] = {"post_recv", "wait_recv", "send", "wait_send"};

std::optional<Part> partOf(Operation *op) {
  if (isa<PostRecvOp>(op))
    return Post;
  if (isa<WaitRecvOp>(op))
    return WaitRecv;
  if (isa<SendOp>(op))
    return Send;
  if (isa<WaitSendOp>(op))
    return WaitSend;
  return std::nullopt;
}

StringRef channelOf(Operation *op) { return op->getAttrOfType<FlatSymbolRefAttr>("channel").getValue(); }
int64_t mbOf(Operation *op) { return op->getAttrOfType<IntegerAttr>("mb").getInt(); }

// The four actions of each message of a channel, in index order.
struct Messages {
  ChannelOp channel;
  int64_t first = 0, count = 0; // micro-batches
  SmallVector<Operation *> actions[4];
};

class MessageProof {
public:
  explicit MessageProof(ProgramOp program) : program(program), symbols(program) {}

  LogicalResult collect() {
    for (auto channel : program.getBody().getOps<ChannelOp>()) {
      auto route = symbols.lookup<RouteOp>(channel.getRoute());
      auto [it, inserted] = byRoute.try_emplace(channel.getRoute(), channel);
      if (!inserted)
        return channel.emitOpError("carries '")
               << channel.getRoute() << "', as '" << it->second.getSymName() << "' does";
      bool step = route.getPer() == Per::step;
      messages[channel.getSymName()] = {channel, step ? -1 : 0, step ? 1 : program.getMicroBatches(), {}};
    }
    for (auto route : program.getBody().getOps<RouteOp>()) {
      bool apart = symbols.lookup<StageOp>(route.getSource()).getRank() !=
                   symbols.lookup<StageOp>(route.getDestination()).getRank();
      if (apart && !byRoute.contains(route.getSymName()))
        return route.emitOpError("joins two ranks but no channel carries it: run '--plan-insert-comm' first");
    }
    for (auto rank : program.getBody().getOps<RankOp>())
      if (failed(walk(rank)))
        return failure();
    for (auto &[name, each] : messages)
      for (Part part : {Post, WaitRecv, Send, WaitSend})
        if (int64_t done = each.actions[part].size(); done != each.count)
          return each.channel.emitOpError("has no '") << partNames[part] << "' for micro-batch " << each.first + done;
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
        edges.emplace_back(number[each.actions[Post][i]], number[each.actions[WaitSend][i]]);
        edges.emplace_back(number[each.actions[Send][i]], number[each.actions[WaitRecv][i]]);
      }
    std::vector<int64_t> cycle = planner::findCycle(nodes.size(), edges);
    if (cycle.empty())
      return success();
    std::vector<Operation *> waits;
    for (int64_t node : cycle)
      if (partOf(nodes[node]))
        waits.push_back(nodes[node]);
    InFlightDiagnostic error = waits.front()->emitOpError("waits for itself: the ranks deadlock");
    for (Operation *op : waits)
      error.attachNote(op->getLoc()) << partNames[*partOf(op)] << " of '" << channelOf(op) << "', micro-batch "
                                     << mbOf(op) << ", on rank " << cast<RankOp>(op->getParentOp()).getIndex()
                                     << " comes before the next";
    return error;
  }

private:
  // Collects actions of a rank, checks their rank, index order and slots.
  LogicalResult walk(RankOp rank) {
    for (Operation &op : rank.getBody().front()) {
      std::optional<Part> part = partOf(&op);
      if (!part)
        continue;
      Messages &each = messages.find(channelOf(&op))->second;
      int64_t home = *part == Send || *part == WaitSend ? each.channel.getSource() : each.channel.getDestination();
      if (home != int64_t(rank.getIndex()))
        return op.emitOpError("stands on rank ")
               << rank.getIndex() << " but this end of '" << channelOf(&op) << "' is rank " << home;
      int64_t next = each.first + each.actions[*part].size();
      if (mbOf(&op) != next || next >= each.first + each.count)
        return op.emitOpError("is for micro-batch ")
               << mbOf(&op) << " of '" << channelOf(&op) << "' where " << next << " is next";
      each.actions[*part].push_back(&op);
      if ((*part == WaitRecv && each.actions[Post].size() < each.actions[WaitRecv].size()) ||
          (*part == WaitSend && each.actions[Send].size() < each.actions[WaitSend].size()))
        return op.emitOpError("waits for micro-batch ")
               << next << " of '" << channelOf(&op) << "' before it is started";
      int64_t open = each.actions[Post].size() - each.actions[WaitRecv].size();
      if (*part == Post && open > int64_t(each.channel.getSlots()))
        return op.emitOpError("is receive ") << open << " of '" << channelOf(&op) << "' posted at once, which has "
                                             << each.channel.getSlots() << " slots";
    }
    return success();
  }

  ProgramOp program;
  SymbolTable symbols;
  llvm::MapVector<StringRef, Messages> messages;
  llvm::StringMap<ChannelOp> byRoute;
};

} // namespace

LogicalResult plc::plan::proveMessages(ProgramOp program) {
  MessageProof proof(program);
  return success(succeeded(proof.collect()) && succeeded(proof.checkTags()));
}

LogicalResult plc::plan::proveNoDeadlock(ProgramOp program) {
  MessageProof proof(program);
  return success(succeeded(proof.collect()) && succeeded(proof.checkWaits()));
}
