//===- ProveMemory.cpp - symbolic execution of a rank's actions -----------===//
#include "Proof.h"
#include "Statics.h"

#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Partition.h"
#include "plc/Planning/Passes.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

std::string plc::plan::describe(Value resolved, int64_t mb) {
  std::string of = mb < 0 ? "" : ", micro-batch " + std::to_string(mb);
  if (auto call = resolved.getDefiningOp<CallOp>())
    return ("'" + call.getKernel() + "' of '" + call.getPath() + "', " +
            stringifyRole(cast<TaskOp>(call->getParentOp()).getRole()))
               .str() +
           of;
  if (auto pop = resolved.getDefiningOp<PopOp>())
    return "what '" + pop.getRoute().str() + "' brings" + of;
  if (auto param = resolved.getDefiningOp<ParamOp>())
    return "parameter '" + param.getParam().str() + "'";
  if (auto site = resolved.getDefiningOp<SiteOp>())
    return "site " + std::to_string(site.getIndex()) + " of '" + site.getParam().str() + "'";
  return "input '" + cast<InputOp>(resolved.getDefiningOp()).getInput().str() + "'" + of;
}

namespace {

struct Range {
  int64_t begin, end;
  bool overlaps(const Range &other) const { return begin < other.end && other.begin < end; }
};

std::string text(const Range &range) {
  return "bytes " + std::to_string(range.begin) + " to " + std::to_string(range.end);
}

class RankProof {
public:
  RankProof(ProgramOp program, RankOp rank, TaskSlots &slots)
      : program(program), rank(rank), slots(slots), routes(slots.getRoutes()) {}

  LogicalResult run(int64_t limit) {
    if (failed(checkLayout(limit)))
      return failure();
    countContributions();
    for (Operation &op : rank.getBody().front())
      if (failed(execute(&op)))
        return failure();
    return checkEnd();
  }

private:
  using Instance = std::pair<Value, int64_t>;
  struct Held {
    int64_t end;
    Instance instance;
  };
  struct Lock { // bytes of a message on its way
    Range range;
    Operation *op;
    StringRef channel;
    int64_t mb;
    bool receives;
  };
  struct SiteState {
    int64_t added = 0, expected = 0, lastMb = -1;
    bool received = false;
  };

  //===--- Layout ---===//

  LogicalResult checkLayout(int64_t limit) {
    auto layouts = rank.getBody().getOps<LayoutOp>();
    if (layouts.empty())
      return rank.emitOpError("has no layout, so nothing is known of its memory: run '--plan-addresses' first");
    layout = *layouts.begin();
    statics.emplace(layout, routes);
    int64_t arena = layout.getArenaBytes();
    if (limit && arena > limit)
      return layout.emitOpError("has an arena of ")
             << planner::formatBytes(arena) << ", limit " << planner::formatBytes(limit);
    SmallVector<StaticOp> places(layout.getBody().getOps<StaticOp>());
    llvm::sort(places, [](StaticOp a, StaticOp b) { return a.getAt() < b.getAt(); });
    int64_t free = 0;
    for (StaticOp place : places) {
      if (place.getAt() % placeAlignment || place.getAt() < free)
        return place.emitOpError("at ") << place.getAt() << " is not aligned, or overlaps the one that ends at "
                                        << free;
      free = place.getAt() + place.getBytes();
    }
    if (free > int64_t(layout.getStaticBytes()))
      return layout.emitOpError("has statics up to ") << free << " but says " << layout.getStaticBytes();
    for (const StaticItem &item : collectStatics(program, rank.getIndex())) {
      StaticOp place = statics->find(item.kind, item.name, item.site);
      if (!place || int64_t(place.getBytes()) != item.bytes || place.getOwned() != item.owned)
        return layout.emitOpError("has no place for ") << stringifyStaticKind(item.kind) << " '" << item.name << "' of "
                                                       << item.bytes << " bytes" << (item.owned ? ", owned" : "");
    }
    return success();
  }

  // How often each site of this rank is added to in a step.
  void countContributions() {
    for (auto stage : program.getBody().getOps<StageOp>()) {
      if (stage.getRank() != rank.getIndex())
        continue;
      for (auto site : stage.getBody().getOps<SiteOp>())
        sites[{site.getParam(), site.getIndex()}];
      for (auto task : stage.getBody().getOps<TaskOp>())
        for (auto call : task.getBody().getOps<CallOp>())
          for (Value operand : call.getArgs())
            if (auto site = slots.resolve(operand).getDefiningOp<SiteOp>())
              sites[{site.getParam(), site.getIndex()}].expected += program.getMicroBatches();
    }
  }

  //===--- Actions ---===//

  LogicalResult execute(Operation *op) {
    if (auto run = dyn_cast<RunOp>(op))
      return execute(run);
    if (auto post = dyn_cast<PostRecvOp>(op))
      return execute(post);
    if (auto wait = dyn_cast<WaitRecvOp>(op))
      return execute(wait);
    if (auto send = dyn_cast<SendOp>(op))
      return execute(send);
    if (auto wait = dyn_cast<WaitSendOp>(op)) {
      unlock(wait.getChannel(), wait.getMb(), false);
      return success();
    }
    if (auto drop = dyn_cast<DropOp>(op))
      return execute(drop);
    if (isa<StepOp>(op))
      return step(op);
    return success();
  }

  LogicalResult execute(RunOp run) {
    TaskOp task = routes.taskOf(run);
    ArrayRef<Value> given = slots.of(task);
    if (!run.getAt() || run.getAt()->size() != given.size())
      return run.emitOpError("has ") << (run.getAt() ? run.getAt()->size() : 0) << " addresses but the task has "
                                     << given.size() << " slots";
    DenseMap<Value, int64_t> place;
    for (auto [slot, at] : llvm::zip(given, *run.getAt())) {
      place[slot] = at;
      Value value = slots.valueIn(run, slot);
      std::optional<int64_t> fixed = statics->offsetOf(value, run.getMb());
      if (fixed && *fixed != at)
        return run.emitOpError("has ") << describe(value, run.getMb()) << " at " << at << " but its place is "
                                       << *fixed;
      if (!fixed && at % placeAlignment)
        return run.emitOpError("has ") << describe(value, run.getMb()) << " at " << at << ", which is not aligned";
    }
    for (auto call : task.getBody().getOps<CallOp>())
      if (!(run.getKeep() && call.getRecompute()) && failed(execute(run, call, place)))
        return failure();
    return success();
  }

  LogicalResult execute(RunOp run, CallOp call, DenseMap<Value, int64_t> &place) {
    SmallVector<Range> reads;
    int64_t mb = run.getMb();
    for (Value operand : call.getArgs()) {
      Value slot = slots.resolve(operand), value = slots.valueIn(run, slot);
      if (value.getDefiningOp<SiteOp>())
        continue; // an accumulator: below
      Range range = isStatic(value) || value.getDefiningOp<InputOp>() ? staticRange(value, mb)
                                                                      : rangeOf(value, mb, place.lookup(slot));
      if (failed(read(run, value, mb, range)))
        return failure();
      reads.push_back(range);
    }
    for (Value result : call.getResults()) {
      Value value = slots.resolve(result);
      if (auto site = value.getDefiningOp<SiteOp>()) {
        if (failed(accumulate(run, site)))
          return failure();
        continue;
      }
      Range range = rangeOf(value, mb, place.lookup(value));
      for (const Range &other : reads)
        if (range.overlaps(other))
          return run.emitOpError("writes ")
                 << describe(value, mb) << " to " << text(range) << ", over what the same call reads or writes";
      if (failed(write(run, value, mb, range)))
        return failure();
      reads.push_back(range);
    }
    return success();
  }

  LogicalResult execute(PostRecvOp post) {
    Value value = slots.resolve(routes.carried(post));
    FailureOr<Range> range = messageRange(post, value, post.getMb(), post.getAt());
    if (failed(range) || (!isStatic(value) && failed(checkPlace(post, value, post.getMb(), *range))))
      return failure();
    if (failed(checkLocks(post, *range, "posts a receive to")))
      return failure();
    erase(*range, post);
    locks.push_back({*range, post, post.getChannel(), int64_t(post.getMb()), true});
    return success();
  }

  LogicalResult execute(WaitRecvOp wait) {
    Value value = slots.resolve(routes.carried(wait));
    Range range = unlock(wait.getChannel(), wait.getMb(), true);
    if (auto site = value.getDefiningOp<SiteOp>())
      sites[{site.getParam(), site.getIndex()}].received = true;
    else if (auto param = value.getDefiningOp<ParamOp>())
      stepped.erase(param.getParam().str());
    else
      held[range.begin] = {range.end, {value, wait.getMb()}};
    return success();
  }

  LogicalResult execute(SendOp send) {
    Value value = slots.resolve(routes.carried(send));
    FailureOr<Range> range = messageRange(send, value, send.getMb(), send.getAt());
    if (failed(range))
      return failure();
    if (auto site = value.getDefiningOp<SiteOp>()) {
      if (failed(checkComplete(send, site.getParam(), site.getIndex())))
        return failure();
    } else if (auto param = value.getDefiningOp<ParamOp>()) {
      if (!stepped.count(param.getParam()))
        return send.emitOpError("sends parameter '") << param.getParam() << "' before its step";
    } else if (failed(read(send, value, send.getMb(), *range))) {
      return failure();
    }
    locks.push_back({*range, send, send.getChannel(), int64_t(send.getMb()), false});
    return success();
  }

  LogicalResult execute(DropOp drop) {
    TaskOp task = routes.taskOf(drop);
    int64_t count = slots.of(task).size();
    if (drop.getSlot() < 0 || drop.getSlot() >= count)
      return drop.emitOpError("names slot ") << drop.getSlot() << " of a task of " << count << " slots";
    if (!drop.getAt())
      return drop.emitOpError("has no address");
    Value value = slots.of(task)[drop.getSlot()];
    Range range = rangeOf(value, drop.getMb(), *drop.getAt());
    if (failed(read(drop, value, drop.getMb(), range)) || failed(checkLocks(drop, range, "drops")))
      return failure();
    erase(range, drop);
    return success();
  }

  LogicalResult step(Operation *op) {
    for (const StaticItem &item : collectStatics(program, rank.getIndex())) {
      if (item.kind != StaticKind::parameter)
        continue;
      if (item.owned) {
        for (auto &[site, state] : sites)
          if (site.first == item.name && failed(checkComplete(op, item.name, site.second)))
            return failure();
      }
      stepped.insert(item.name);
    }
    return success();
  }

  LogicalResult checkEnd() {
    for (auto stage : program.getBody().getOps<StageOp>()) {
      if (stage.getRank() != rank.getIndex())
        continue;
      for (auto output : stage.getBody().getOps<OutputOp>())
        for (int64_t mb = 0; mb < program.getMicroBatches(); ++mb) {
          Value value = slots.resolve(output.getValue());
          if (failed(read(rank, value, mb, staticRange(value, mb))))
            return failure();
        }
    }
    bool steps = !rank.getBody().getOps<StepOp>().empty();
    if (program.isTraining() && !steps)
      return rank.emitOpError("never takes a step");
    for (const std::string &param : stepped)
      if (StaticOp place = statics->find(StaticKind::parameter, param); !place.getOwned() && isTrained(param))
        return rank.emitOpError("never receives the new value of parameter '") << param << "'";
    return success();
  }

  bool isTrained(StringRef param) {
    bool trained = false;
    program.walk([&](SiteOp site) { trained |= site.getParam() == param; });
    return trained;
  }

  //===--- Memory ---===//

  Range rangeOf(Value value, int64_t mb, int64_t at) { return {at, at + byteSize(program, value.getType(), mb)}; }
  Range staticRange(Value value, int64_t mb) {
    return rangeOf(value, mb, statics->offsetOf(value, std::max<int64_t>(mb, 0)).value_or(0));
  }

  FailureOr<Range> messageRange(Operation *op, Value value, int64_t mb, std::optional<int64_t> at) {
    if (!at)
      return op->emitOpError("has no address");
    std::optional<int64_t> fixed = statics->offsetOf(value, std::max<int64_t>(mb, 0));
    if (fixed && *fixed != *at)
      return op->emitOpError("has ") << describe(value, mb) << " at " << *at << " but its place is " << *fixed;
    return rangeOf(value, mb, *at);
  }

  LogicalResult read(Operation *op, Value value, int64_t mb, Range range) {
    if (auto param = value.getDefiningOp<ParamOp>(); param && stepped.count(param.getParam()))
      return op->emitOpError("reads parameter '") << param.getParam() << "' after its step";
    for (const Lock &lock : locks)
      if (lock.receives && lock.range.overlaps(range))
        return conflict(op, "reads", range, lock);
    if (isStatic(value) || value.getDefiningOp<InputOp>())
      return success();
    auto it = held.find(range.begin);
    if (it != held.end() && it->second.end == range.end && it->second.instance == Instance(value, mb))
      return success();
    InFlightDiagnostic error = op->emitOpError("needs ") << describe(value, mb) << " in " << text(range);
    if (it != held.end())
      error << " but finds " << describe(it->second.instance.first, it->second.instance.second);
    else
      error << " but it is not there";
    if (Operation *by = ended.lookup({value, mb}))
      error.attachNote(by->getLoc()) << "its bytes are taken here";
    return error;
  }

  LogicalResult write(Operation *op, Value value, int64_t mb, Range range) {
    if (failed(checkPlace(op, value, mb, range)) || failed(checkLocks(op, range, "writes")))
      return failure();
    erase(range, op);
    held[range.begin] = {range.end, {value, mb}};
    ended.erase({value, mb});
    return success();
  }

  // Values lie behind the static area, or are outputs in their place; inside the arena.
  LogicalResult checkPlace(Operation *op, Value value, int64_t mb, Range range) {
    bool fixed = statics->offsetOf(value, mb).has_value();
    if (!fixed && range.begin < int64_t(layout.getStaticBytes()))
      return op->emitOpError("puts ") << describe(value, mb) << " to " << text(range)
                                      << ", in the static area, which ends at " << layout.getStaticBytes();
    if (range.end > int64_t(layout.getArenaBytes()))
      return op->emitOpError("puts ") << describe(value, mb) << " to " << text(range)
                                      << ", beyond the arena, which ends at " << layout.getArenaBytes();
    return success();
  }

  LogicalResult checkLocks(Operation *op, Range range, StringRef what) {
    for (const Lock &lock : locks)
      if (lock.range.overlaps(range))
        return conflict(op, what, range, lock);
    return success();
  }

  LogicalResult conflict(Operation *op, StringRef what, Range range, const Lock &lock) {
    InFlightDiagnostic error = op->emitOpError(what)
                               << " " << text(range) << " while micro-batch " << lock.mb << " of '" << lock.channel
                               << "' is on its way " << (lock.receives ? "in" : "out");
    error.attachNote(lock.op->getLoc()) << "it starts here";
    return error;
  }

  void erase(Range range, Operation *by) {
    auto it = held.lower_bound(range.begin);
    while (it != held.begin() && std::prev(it)->second.end > range.begin)
      --it;
    while (it != held.end() && it->first < range.end) {
      ended[it->second.instance] = by;
      it = held.erase(it);
    }
  }

  Range unlock(StringRef channel, int64_t mb, bool receives) {
    auto it = llvm::find_if(
        locks, [&](const Lock &lock) { return lock.channel == channel && lock.mb == mb && lock.receives == receives; });
    Range range = it->range; // proveMessages: it was started
    locks.erase(it);
    return range;
  }

  //===--- Sites ---===//

  LogicalResult accumulate(RunOp run, SiteOp site) {
    SiteState &state = sites[{site.getParam(), site.getIndex()}];
    if (run.getMb() < state.lastMb)
      return run.emitOpError("adds micro-batch ") << run.getMb() << " to site " << site.getIndex() << " of '"
                                                  << site.getParam() << "' after micro-batch " << state.lastMb;
    state.lastMb = run.getMb();
    ++state.added;
    return checkLocks(run, staticRange(site, 0), "adds to");
  }

  LogicalResult checkComplete(Operation *op, StringRef param, int64_t site) {
    const SiteState &state = sites[{param, site}];
    if (state.received || (state.expected && state.added == state.expected))
      return success();
    return op->emitOpError("needs site ")
           << site << " of '" << param << "' with " << state.expected << " contributions but it has " << state.added;
  }

  ProgramOp program;
  RankOp rank;
  TaskSlots &slots;
  const RouteTable &routes;
  LayoutOp layout;
  std::optional<Statics> statics;
  std::map<int64_t, Held> held; // by first byte
  DenseMap<Instance, Operation *> ended;
  SmallVector<Lock> locks;
  std::map<std::pair<StringRef, int64_t>, SiteState> sites;
  std::set<std::string, std::less<>> stepped;
};

} // namespace

LogicalResult plc::plan::proveMemory(ProgramOp program, RankOp rank, TaskSlots &slots, int64_t limitBytes) {
  return RankProof(program, rank, slots).run(limitBytes);
}
