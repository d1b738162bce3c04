//===- FreeOrder.cpp - which actions must come after which ----------------===//
#include "FreeOrder.h"
#include "HeldValues.h"

#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Base/PartialOrder.h"

#include "llvm/ADT/DenseMap.h"

#include <map>

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using module::ActionInfo;

namespace {

using Op = ActionInfo::Op;

// What a run reads of others' values, and what it writes: behind its bases, and in persistent buffers.
struct TaskTouch {
  /// A range of bytes that a run touches.
  struct Part {
    int64_t base;    // -1: none
    int64_t operand; // without a base: the operand of a buffer with several accumulation groups; 0: an arena range
    Range range;     // within the base, the group, or the arena
  };
  SmallVector<Part> reads, writes;
};

// The actions between which bytes are read or written. A message spans two actions, its start and its wait.
struct Span {
  int64_t first, last;
};

// Finds the pairs in one sweep over the list, with the last writer and its readers of every segment of bytes.
class OrderOfRank {
public:
  OrderOfRank(const TableOfProgram &both, int64_t index)
      : both(both), index(index), plan(both.table.ranks[index]), messages(both.channels.size()) {}

  planner::Edges find() {
    keepBarriers();
    keepIndexOrder();
    findTouches();
    cutBytes();
    for (const Touch &touch : touches)
      for (size_t segment = segmentAt(touch.range.begin), end = segmentAt(touch.range.end); segment < end; ++segment)
        touch.writes ? write(segments[segment], touch.span) : read(segments[segment], touch.span);
    llvm::sort(needed);
    needed.erase(llvm::unique(needed), needed.end());
    return std::move(needed);
  }

private:
  struct Touch {
    Range range;
    Span span;
    bool writes;
  };

  static constexpr int64_t atTheEnd = -1;

  void need(int64_t before, int64_t after) {
    if (before != after && after != atTheEnd)
      needed.emplace_back(before, after);
  }

  //===--- Order that bytes do not tell ---===//

  void keepBarriers() {
    int64_t count = plan.actions.size(), begin = 0;
    for (int64_t i = 0; i < count; ++i)
      if (plan.actions[i].prepares())
        begin = i + 1;
    for (int64_t i = 1; i < count; ++i)
      // All P in the list's order, and then everything else behind the last P.
      if (begin > 0)
        need(i < begin ? i - 1 : begin - 1, i);
    for (int64_t step = 0; step < count; ++step)
      if (plan.actions[step].op == Op::Step)
        for (int64_t i = 0; i < count; ++i)
          need(std::min(i, step), std::max(i, step));
  }

  // The starts and ends of a channel's messages, in their order.
  struct Messages {
    std::vector<int64_t> starts, ends;
  };

  void keepIndexOrder() {
    // The last run of each task, and of each stage and micro-batch.
    std::map<std::pair<Operation *, int64_t>, int64_t> last;
    for (auto [number, action] : llvm::enumerate(plan.actions)) {
      int64_t here = number;
      if (action.op == Op::Run) {
        Operation *task = both.taskOf(plan, action).op;
        for (std::pair key : {std::pair(task, int64_t(-1)), std::pair(task->getParentOp(), action.microBatch)})
          // One pair between neighbours suffices: order is transitive.
          if (auto [known, isFirst] = last.try_emplace(key, here); !isFirst)
            need(std::exchange(known->second, here), here);
      }
      if (!action.isMessage())
        continue;
      Messages &channel = messages[action.target];
      bool isStart = action.op == Op::PostRecv || action.op == Op::Send;
      std::vector<int64_t> &part = isStart ? channel.starts : channel.ends;
      if (!part.empty())
        need(part.back(), here);
      if (!isStart)
        need(channel.starts[part.size()], here);
      part.push_back(here);
    }
    for (auto [info, channel] : llvm::zip(both.table.channels, messages))
      // A receive needs the slot of the one that many messages earlier.
      for (size_t i = info.slots; info.destination == index && i < channel.starts.size(); ++i)
        need(channel.ends[i - info.slots], channel.starts[i]);
  }

  //===--- Bytes ---===//

  void findTouches() {
    for (const ActionInfo &action : plan.actions)
      if (action.op == Op::PostRecv)
        received.push_back(rangeOf(action));
    std::vector<size_t> next(messages.size());
    for (auto [number, action] : llvm::enumerate(plan.actions)) {
      int64_t here = number;
      if (action.op == Op::Run)
        addRun(action, here);
      else if (action.op == Op::Drop)
        touches.push_back({{action.offset, action.offset + action.bytes}, {here, here}, true});
      else if (action.op == Op::PostRecv || action.op == Op::Send)
        touches.push_back(
            {rangeOf(action), {here, messages[action.target].ends[next[action.target]++]}, action.op == Op::PostRecv});
    }
    // Persistent buffers are read at the end, by the caller or the next run: so no write that nothing reads may move
    // behind.
    for (const module::BufferInfo &buffer : plan.buffers)
      touches.push_back({{buffer.offset, buffer.offset + buffer.bytes}, {atTheEnd, atTheEnd}, false});
  }

  Range rangeOf(const ActionInfo &message) const {
    const RouteTable &routes = both.routes();
    RouteOp route = routes.routeOf(both.channels[message.target]);
    Value value =
        both.slots.resolve(message.isSend() ? routes.stashOf(route).getValue() : routes.popOf(route).getResult());
    int64_t bytes = byteSize(both.program, value.getType(), message.microBatch);
    if (auto site = value.getDefiningOp<SiteOp>())
      bytes = byteSize(site.getType()) * int64_t(site.getGroups());
    return {message.offset, message.offset + bytes};
  }

  void addRun(const ActionInfo &run, int64_t here) {
    auto [known, isNew] = tasks.try_emplace({run.target, both.table.isShort(run.microBatch)});
    if (isNew)
      known->second = touchOf(run);
    auto add = [&](const TaskTouch::Part &part, bool writes) {
      int64_t at = part.base >= 0 ? run.at[part.base] : part.operand ? both.table.offsetOf(plan, part.operand, run) : 0;
      touches.push_back({{at + part.range.begin, at + part.range.end}, {here, here}, writes});
    };
    for (const TaskTouch::Part &part : known->second.reads)
      add(part, false);
    for (const TaskTouch::Part &part : known->second.writes)
      add(part, true);
  }

  // The bytes that a task touches, from the table's operands. The program's calls give sizes, and say which operands
  // are written.
  TaskTouch touchOf(const ActionInfo &run) const {
    auto [task, keeps] = both.taskOf(plan, run);
    const module::TaskInfo &made = plan.tasks[run.target];
    std::map<int64_t, std::vector<Range>> reads, writes; // by base
    TaskTouch touch;
    auto add = [&](int64_t operand, Value value, bool isRead, bool isWritten) {
      int64_t bytes = byteSize(both.program, value.getType(), run.microBatch);
      // The micro-batch selects the group, so the offset is known only for a run.
      if (operand < 0 && plan.buffers[-operand - 1].groups > 1) {
        if (isRead)
          touch.reads.push_back({-1, operand, {0, bytes}});
        if (isWritten)
          touch.writes.push_back({-1, operand, {0, bytes}});
        return;
      }
      // Padding up to the alignment belongs to no value, so neighbours may be joined across it: fewer ranges, equal
      // pairs.
      module::SlotInfo slot =
          operand < 0 ? module::SlotInfo{-1, plan.buffers[-operand - 1].offset} : made.slots[operand];
      Range range{slot.offset, operand < 0 ? roundUpToAlignment(slot.offset + bytes) : slot.offset + bytes};
      // A read of the task's own bytes orders nothing, nor does one of bytes that no run writes.
      if (isRead && !covers(writes[slot.base], range) && !(operand < 0 && staysAs(range)))
        join(reads[slot.base], range);
      if (isWritten)
        join(writes[slot.base], range);
    };
    const auto *call = made.calls.data();
    for (auto op : task.getBody().getOps<CallOp>()) {
      if (keeps && op.getRecompute())
        continue;
      const int64_t *operand = (call++)->operands.data();
      bool updates = both.routes().updatesState(op);
      for (Value argument : op.getArgs().drop_back(updates))
        if (Value value = both.slots.resolve(argument); !value.getDefiningOp<SiteOp>())
          add(*operand++, both.slots.valueIn(keeps, value), true, false);
      for (Value result : op.getResults()) {
        Value value = both.slots.resolve(result);
        add(*operand++, value, updates || value.getDefiningOp<SiteOp>(), true);
      }
    }
    for (auto &[base, ranges] : reads)
      for (Range range : ranges)
        touch.reads.push_back({base, 0, range});
    for (auto &[base, ranges] : writes)
      for (Range range : ranges)
        touch.writes.push_back({base, 0, range});
    return touch;
  }

  // Whether no run writes a buffer: parameters and results of P change only by messages, by P, or by the step.
  bool staysAs(Range buffer) const {
    auto holds = [&](const module::BufferInfo &each) {
      return each.offset == buffer.begin &&
             (each.kind == module::BufferKind::Parameter || each.kind == module::BufferKind::Precomputed);
    };
    return llvm::any_of(plan.buffers, holds) &&
           llvm::none_of(received, [&](Range range) { return range.overlaps(buffer); });
  }

  // Sorted and apart; neighbours are joined.
  static void join(std::vector<Range> &ranges, Range range) {
    auto begin = llvm::partition_point(ranges, [&](Range each) { return each.end < range.begin; });
    auto end = begin;
    for (; end != ranges.end() && end->begin <= range.end; ++end)
      range = {std::min(range.begin, end->begin), std::max(range.end, end->end)};
    ranges.insert(ranges.erase(begin, end), range);
  }
  static bool covers(const std::vector<Range> &ranges, Range range) {
    return llvm::any_of(ranges, [&](Range each) { return each.begin <= range.begin && range.end <= each.end; });
  }

  // Bytes between two neighbouring ends of ranges, which every action touches alike.
  struct Segment {
    std::optional<Span> writer;   // the last one
    SmallVector<Span, 2> readers; // of what it wrote
    SmallVector<Span, 2> before;  // readers of what was there before it
    SmallVector<Span, 1> unread;  // writers since those readers whose bytes nothing read
  };

  void cutBytes() {
    for (const Touch &touch : touches) {
      ends.push_back(touch.range.begin);
      ends.push_back(touch.range.end);
    }
    llvm::sort(ends);
    ends.erase(llvm::unique(ends), ends.end());
    segments.resize(ends.size());
  }
  size_t segmentAt(int64_t byte) const { return llvm::lower_bound(ends, byte) - ends.begin(); }

  // A writer comes after the readers of the former value. Two writers without a reader in between stay free.
  void write(Segment &bytes, Span writer) {
    if (!bytes.readers.empty()) {
      bytes.before = std::move(bytes.readers);
      bytes.readers.clear();
      bytes.unread.clear();
    } else if (bytes.writer) {
      bytes.unread.push_back(*bytes.writer);
    }
    for (Span reader : bytes.before)
      need(reader.last, writer.first);
    bytes.writer = writer;
  }

  void read(Segment &bytes, Span reader) {
    if (bytes.writer) {
      need(bytes.writer->last, reader.first);
      // The first reader of a value fixes its writer: writers that nothing read must come before that one.
      if (bytes.readers.empty())
        for (Span other : bytes.unread)
          need(other.last, bytes.writer->first);
    }
    bytes.readers.push_back(reader);
  }

  const TableOfProgram &both;
  const int64_t index;
  const module::RankInfo &plan;
  std::vector<Messages> messages;                      // by channel
  std::map<std::pair<int64_t, bool>, TaskTouch> tasks; // by task, and whether the micro-batch is short
  std::vector<Range> received;                         // by messages
  std::vector<Touch> touches;                          // in the list's order; of one action reads come first
  std::vector<int64_t> ends;
  std::vector<Segment> segments; // from each of `ends` to the next
  planner::Edges needed;
};

} // namespace

planner::Edges plc::plan::neededOrder(const TableOfProgram &both, int64_t rank) {
  return OrderOfRank(both, rank).find();
}

LogicalResult plc::plan::proveFreeOrder(const TableOfProgram &both) {
  for (auto [index, rank] : llvm::enumerate(both.table.ranks)) {
    if (!rank.takesWhatIsReady())
      continue;
    int64_t count = rank.actions.size();
    // Earlier actions must come first in the list, so what a rank says has no cycle.
    planner::Edges given;
    if (int64_t(rank.after.size()) != count)
      return RankOp(both.ranks[index]).emitOpError("has ")
             << count << " actions, but the action table says what " << rank.after.size() << " of them come after";
    for (auto [number, earlier] : llvm::enumerate(rank.after))
      for (int64_t each : earlier) {
        if (each < 0 || each >= int64_t(number))
          return ActionInterface(both.actions[index][number])->emitOpError("comes after action ")
                 << each << " in the action table, which is no earlier one";
        given.emplace_back(each, number);
      }
    auto missing = planner::findUnordered(count, std::move(given), neededOrder(both, index));
    if (!missing)
      continue;
    InFlightDiagnostic error = ActionInterface(both.actions[index][missing->second])->emitOpError("is action ")
                               << missing->second << " of rank " << index << " and may come before action "
                               << missing->first << ", which it must come after";
    error.attachNote(ActionInterface(both.actions[index][missing->first])->getLoc())
        << "action " << missing->first << " uses bytes that it uses, too, or has a turn before it";
    return error;
  }
  return success();
}
