//===- ProveMemory.cpp - symbolic execution of a rank's actions -----------===//
#include "ProveLayout.h"
#include "TaskEffect.h"

#include "plc/Dialect/Ein/Names.h"
#include "plc/Dialect/Plan/Values.h"
#include "plc/Planning/Passes.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using module::ActionInfo;

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
  return "input '" + ein::textOf(cast<InputOp>(resolved.getDefiningOp()).getInput()) + "'" + of;
}

namespace {

// Executes the actions of a rank on a map from bytes to values (`HeldValues`). A run whose task is known applies the
// task's effect at once; all other runs are executed call by call, which finds the same and reports errors.
class RankProof {
public:
  RankProof(TableOfProgram &both, int64_t index)
      : both(both), program(both.program), rank(both.ranks[index]), plan(both.table.ranks[index]), slots(both.slots),
        routes(both.routes()), buffers(rank, plan.buffers, routes),
        lifetimes(slots, [this](Value value) { return buffers.bufferOf(value) >= 0; }) {}

  LogicalResult run(int64_t limit) {
    FailureOr<int64_t> persistentEnds = proveBuffers(both, rank.getIndex(), buffers, limit);
    if (failed(persistentEnds))
      return failure();
    persistentEnd = *persistentEnds;
    findSites();
    findLifetimes();
    for (auto [number, action] : llvm::enumerate(plan.actions))
      if (failed(execute(action, number, both.actions[rank.getIndex()][number])))
        return failure();
    int64_t end = std::max(persistentEnd, roundUpToAlignment(highest));
    return success(succeeded(checkEnd()) && succeeded(proveArena(both, rank.getIndex(), buffers, lifetimes, end)));
  }

private:
  struct Lock { // bytes of a message under way
    Range range;
    Operation *op;
    int64_t channel, mb;
    bool receives;
  };
  // What has reached a gradient site: contributions of calls, or the sum of another rank.
  struct SiteState {
    int64_t added = 0;
    bool received = false;
  };

  // Creates an entry for every site, so that a site without contributions is found incomplete.
  void findSites() {
    for (auto stage : program.getBody().getOps<StageOp>())
      if (stage.getRank() == rank.getIndex())
        for (auto site : stage.getBody().getOps<SiteOp>())
          sites[keyOf(site)];
  }

  // Collects the touches of every action. A run of P is left out: its temporaries live in a time of their own.
  void findLifetimes() {
    for (const ActionInfo &action : plan.actions) {
      if (action.op == ActionInfo::Op::Run && !action.prepares()) {
        auto [task, keeps] = both.taskOf(plan, action);
        lifetimes.addRun(task, keeps, action.microBatch);
      } else if (action.isMessage()) {
        lifetimes.addMessage(both.carried(action, action.isSend()), action.microBatch);
      } else {
        lifetimes.addOther();
      }
    }
    lifetimes.group();
  }

  //===--- Actions ---===//

  LogicalResult execute(const ActionInfo &action, int64_t number, ActionInterface op) {
    switch (action.op) {
    case ActionInfo::Op::Run:
      if (action.prepares())
        return runTask(action, op);
      return success(runBlocks(action, number, op) || succeeded(runTask(action, op)));
    case ActionInfo::Op::PostRecv: return post(action, op);
    case ActionInfo::Op::WaitRecv: return receive(action, op);
    case ActionInfo::Op::Send: return send(action, op);
    case ActionInfo::Op::WaitSend: unlock(action, false); return success();
    case ActionInfo::Op::Drop: return drop(action, op);
    case ActionInfo::Op::Step: return step(op);
    }
    llvm_unreachable("all actions are listed");
  }

  // Applies what is known of a run's task; true if nothing is wrong. False sends the run to `runTask`, which reports
  // what is wrong, or accepts values that lie between each other.
  bool runBlocks(const ActionInfo &run, int64_t number, Operation *op) {
    // While parameters change, a read may find the new value, which effects do not model.
    KnownTask *task = renewed.empty() && renewing == 0 ? knownTask(run, number) : nullptr;
    const TaskEffect *effect = task ? &*task->effect : nullptr;
    if (!effect || !liesApart(run, *effect))
      return false;
    SmallVector<std::pair<size_t, int64_t>> after; // bases, and their contents
    for (size_t base = 0; base < effect->bases.size(); ++base) {
      if (!effect->bases[base].extent)
        continue; // this run does not touch the base's value, so its bytes may be another value's
      Range range{run.at[base], run.at[base] + effect->bases[base].extent};
      std::optional<int64_t> before = held.blockIn(range, run.microBatch);
      std::optional<int64_t> result = before ? knownAfter(*effect, base, *before) : std::nullopt;
      if (!result)
        return false;
      after.emplace_back(base, *result);
    }
    for (auto [base, contents] : after) {
      held.replaceBlock(run.at[base], contents, run.microBatch, op);
      highest = std::max(highest, run.at[base] + effect->bases[base].writtenEnd);
    }
    for (SiteState *site : task->sites)
      ++site->added;
    return true;
  }

  struct KnownTask {
    std::optional<TaskEffect> effect; // nothing: look at runs one by one
    SmallVector<SiteState *> sites{};
  };

  KnownTask *knownTask(const ActionInfo &run, int64_t number) {
    auto [known, isNew] = effects.try_emplace({run.target, both.table.isShort(run.microBatch)});
    KnownTask &task = known->second;
    if (isNew)
      // The first run of a task pays for its effect; the other micro-batches apply it. No effect: the task's runs are
      // executed call by call, each time.
      task.effect = effectOf(plan.tasks[run.target], lifetimes.bodyOf(number), lifetimes, buffers, slots,
                             [&](Value value) { return byteSize(program, value.getType(), run.microBatch); });
    if (isNew && task.effect)
      for (SiteOp site : task.effect->sites)
        task.sites.push_back(&sites[keyOf(site)]);
    return task.effect ? &task : nullptr;
  }

  // The number of a base's contents after a run. Contents are numbered, so equal contents are compared by number.
  std::optional<int64_t> knownAfter(const TaskEffect &effect, size_t base, int64_t before) {
    auto [known, isNew] = transitions.try_emplace({&effect.bases[base], before});
    if (isNew)
      if (std::optional<Contents> after = effect.after(base, held.get(before)))
        known->second = held.numberOf(*after);
    return known->second;
  }

  // Whether each base has bytes of its own, among values, and no message under way conflicts with it.
  bool liesApart(const ActionInfo &run, const TaskEffect &effect) {
    SmallVector<Range> ranges;
    for (auto [base, at] : llvm::zip(effect.bases, run.at)) {
      Range range{at, at + base.extent};
      if (!base.extent)
        continue;
      // A value with a buffer must be in it. All others must be aligned, behind the buffers and inside the arena.
      bool right = base.fixed ? buffers.offsetOf(base.fixed, run.microBatch) == at
                              : at % bufferAlignment == 0 && at >= persistentEnd && range.end <= plan.arenaBytes;
      if (!right)
        return false;
      // A message that is being sent may be read, never written. One that is being received may not be touched at all.
      for (const Lock &lock : locks)
        if (lock.range.overlaps(range) && (lock.receives || !base.written.empty()))
          return false;
      ranges.push_back(range);
    }
    // Sites are no bases of an effect, since every run adds to them: their bytes are compared with the locks apart.
    for (const Lock &lock : locks)
      if (lock.range.begin < persistentEnd &&
          llvm::any_of(effect.sites, [&](SiteOp site) { return rangeOf(site).overlaps(lock.range); }))
        return false;
    llvm::sort(ranges, [](const Range &a, const Range &b) { return a.begin < b.begin; });
    for (size_t i = 1; i < ranges.size(); ++i)
      if (ranges[i - 1].overlaps(ranges[i]))
        return false;
    return true;
  }

  LogicalResult runTask(const ActionInfo &run, Operation *op) {
    auto [task, keeps] = both.taskOf(plan, run);
    const auto *made = plan.tasks[run.target].calls.data();
    for (auto call : task.getBody().getOps<CallOp>())
      if (!(keeps && call.getRecompute()) && failed(runCall(run, op, keeps, call, *made++)))
        return failure();
    return success();
  }

  // Compares the table's operands, inputs before outputs, with what the program's call reads and writes.
  LogicalResult runCall(const ActionInfo &run, Operation *op, bool keeps, CallOp call, const module::CallInfo &made) {
    SmallVector<Range> touched;
    int64_t mb = run.microBatch;
    const auto *operand = made.operands.data();
    // An updated state is the last operand; it is checked as the result that lies in the same buffer.
    for (Value argument : call.getArgs().drop_back(routes.updatesState(call))) {
      Value value = valueIn(keeps, argument);
      if (value.getDefiningOp<SiteOp>())
        continue; // an accumulator: below
      FailureOr<Range> range = buffer(run, op, value, *operand++);
      if (failed(range) || failed(read(op, value, mb, *range)))
        return failure();
      touched.push_back(*range);
    }
    for (Value result : call.getResults()) {
      Value value = slots.resolve(result);
      FailureOr<Range> range = buffer(run, op, value, *operand++);
      if (failed(range))
        return failure();
      if (auto site = value.getDefiningOp<SiteOp>()) {
        if (failed(accumulate(op, site)))
          return failure();
        continue;
      }
      if (value.getDefiningOp() == call && precomputedNumber(value))
        continue; // in a persistent buffer of its own
      // A kernel may write a result before it has read all operands, so no result may lie over another operand.
      for (const Range &other : touched)
        if (range->overlaps(other))
          return op->emitOpError("writes ")
                 << describe(value, mb) << " to " << text(*range) << ", over what the same call reads or writes";
      if (failed(write(op, value, mb, *range)))
        return failure();
      touched.push_back(*range);
    }
    return success();
  }

  // The bytes that the table gives a value in a run. A value with a persistent buffer must be in it.
  FailureOr<Range> buffer(const ActionInfo &run, Operation *op, Value value, int64_t operand) {
    int64_t at = both.table.offsetOf(plan, operand, run);
    std::optional<int64_t> fixed = buffers.offsetOf(value, run.microBatch);
    if ((operand < 0 || isPersistent(value)) && -operand - 1 != buffers.bufferOf(value))
      return op->emitOpError("has ") << describe(value, run.microBatch) << " in operand " << operand
                                     << " of the action table, which is another place";
    if (fixed && *fixed != at)
      return op->emitOpError("has ") << describe(value, run.microBatch) << " at " << at << " but its place is "
                                     << *fixed;
    if (!fixed && at % bufferAlignment)
      return op->emitOpError("has ") << describe(value, run.microBatch) << " at " << at << ", which is not aligned";
    return rangeOf(value, run.microBatch, at);
  }

  // Checks that the buffer is free, and locks it: from now on the transport may write it.
  LogicalResult post(const ActionInfo &action, ActionInterface op) {
    Value value = both.carried(action, false);
    FailureOr<Range> range = messageBuffer(action, op, value);
    if (failed(range) || (!isPersistent(value) && failed(checkPlace(op, value, action.microBatch, *range))))
      return failure();
    if (failed(checkLocks(op, *range, "posts a receive to")))
      return failure();
    // What lay there is lost at the post, not at the arrival, because the message may come at any time between.
    held.erase(*range, op);
    renewing += bool(value.getDefiningOp<ParamOp>());
    locks.push_back({*range, op, action.target, action.microBatch, true});
    return success();
  }

  // Ends the lock; the buffer holds the channel's value from here on.
  LogicalResult receive(const ActionInfo &action, ActionInterface op) {
    Value value = both.carried(action, false);
    Range range = unlock(action, true);
    if (auto site = value.getDefiningOp<SiteOp>()) {
      sites[keyOf(site)].received = true;
    } else if (auto param = value.getDefiningOp<ParamOp>()) {
      renewed.insert(param.getParam());
      --renewing;
    } else {
      held.put(range, value, action.microBatch);
    }
    return success();
  }

  LogicalResult send(const ActionInfo &action, ActionInterface op) {
    Value value = both.carried(action, true);
    FailureOr<Range> range = messageBuffer(action, op, value);
    if (failed(range))
      return failure();
    if (auto site = value.getDefiningOp<SiteOp>()) {
      // A site is sent once, so all contributions must be in.
      if (failed(checkComplete(op, keyOf(site))))
        return failure();
    } else if (auto param = value.getDefiningOp<ParamOp>()) {
      if (!renewed.contains(param.getParam()))
        return op->emitOpError("sends parameter '") << param.getParam() << "' before its step";
    } else if (failed(read(op, value, action.microBatch, *range))) {
      return failure();
    }
    locks.push_back({*range, op, action.target, action.microBatch, false});
    return success();
  }

  // A drop may free anything behind the persistent buffers: a later read of it fails then.
  LogicalResult drop(const ActionInfo &action, ActionInterface op) {
    Range range{action.offset, action.offset + action.bytes};
    if (range.begin < persistentEnd || range.end > plan.arenaBytes || action.bytes < 0)
      return op->emitOpError("drops ") << text(range) << " but values lie in "
                                       << text({persistentEnd, plan.arenaBytes});
    if (failed(checkLocks(op, range, "drops")))
      return failure();
    held.erase(range, op);
    return success();
  }

  // Checks that each owned parameter has all its gradients, then marks it as renewed.
  LogicalResult step(Operation *op) {
    for (const BufferItem &item : collectBuffers(program, both.stages[rank.getIndex()])) {
      if (item.kind != BufferKind::parameter || !item.owned)
        continue;
      StringRef parameter = cast<StringAttr>(item.name).getValue();
      if (!both.trained.contains(parameter))
        continue;
      // Sites are sorted by parameter.
      for (auto site = sites.lower_bound({parameter, 0, 0, 0});
           site != sites.end() && std::get<0>(site->first) == parameter; ++site)
        if (failed(checkComplete(op, site->first)))
          return failure();
      renewed.insert(parameter);
    }
    return success();
  }

  // At the end of the step, outputs of every micro-batch lie in their buffers, and no rank keeps an old parameter.
  LogicalResult checkEnd() {
    for (auto stage : program.getBody().getOps<StageOp>()) {
      if (stage.getRank() != rank.getIndex())
        continue;
      for (auto output : stage.getBody().getOps<OutputOp>())
        for (int64_t mb = program.getFirstRun(stage.getReplica()), end = program.getFirstRun(stage.getReplica() + 1);
             mb < end; ++mb) {
          Value value = slots.resolve(output.getValue());
          if (failed(read(rank, value, mb, bufferRange(value, mb))))
            return failure();
        }
    }
    for (const module::BufferInfo &buffer : plan.buffers)
      if (buffer.kind == module::BufferKind::Parameter && both.trained.contains(buffer.name) &&
          !renewed.contains(buffer.name))
        return rank.emitOpError("never receives the new value of parameter '") << buffer.name << "'";
    return success();
  }

  //===--- Memory ---===//

  Range rangeOf(Value value, int64_t mb, int64_t at) { return {at, at + byteSize(program, value.getType(), mb)}; }
  // The bytes of a site, with all its accumulation groups.
  Range rangeOf(SiteOp site) {
    int64_t at = plan.buffers[buffers.bufferOf(site)].offset;
    return {at, at + byteSize(site.getType()) * int64_t(site.getGroups())};
  }
  Range bufferRange(Value value, int64_t mb) {
    return rangeOf(value, mb, buffers.offsetOf(value, std::max<int64_t>(mb, 0)).value_or(0));
  }

  // The bytes that a message is sent from or received into. A value with a persistent buffer uses that.
  FailureOr<Range> messageBuffer(const ActionInfo &action, Operation *op, Value value) {
    std::optional<int64_t> fixed = buffers.offsetOf(value, std::max<int64_t>(action.microBatch, 0));
    if (fixed && *fixed != action.offset)
      return op->emitOpError("has ") << describe(value, action.microBatch) << " at " << action.offset
                                     << " but its place is " << *fixed;
    Range range = rangeOf(value, action.microBatch, action.offset);
    if (auto site = value.getDefiningOp<SiteOp>())
      range.end = range.begin + byteSize(site.getType()) * int64_t(site.getGroups());
    return range;
  }

  // Fails unless the bytes hold exactly this value of this micro-batch, and nothing is arriving there.
  LogicalResult read(Operation *op, Value value, int64_t mb, Range range) {
    if (auto param = value.getDefiningOp<ParamOp>(); param && renewed.contains(param.getParam()))
      return op->emitOpError("reads parameter '") << param.getParam() << "', whose place has the new value by now";
    for (const Lock &lock : locks)
      if (lock.receives && lock.range.overlaps(range))
        return conflict(op, "reads", range, lock);
    if (isPersistent(value) || value.getDefiningOp<InputOp>())
      return success();
    if (held.holds(range, value, mb))
      return success();
    InFlightDiagnostic error = op->emitOpError("needs ") << describe(value, mb) << " in " << text(range);
    if (auto other = held.beginsAt(range.begin))
      error << " but finds " << describe(other->first, other->second);
    else
      error << " but it is not there";
    if (Operation *by = held.endOf(value, mb))
      error.attachNote(by->getLoc()) << "its bytes are taken here";
    return error;
  }

  LogicalResult write(Operation *op, Value value, int64_t mb, Range range) {
    if (failed(checkPlace(op, value, mb, range)) || failed(checkLocks(op, range, "writes")))
      return failure();
    held.erase(range, op);
    held.put(range, value, mb);
    return success();
  }

  // Values lie behind the persistent buffers, or are outputs in theirs; all of them lie inside the arena.
  LogicalResult checkPlace(Operation *op, Value value, int64_t mb, Range range) {
    bool fixed = buffers.offsetOf(value, mb).has_value();
    if (!fixed && range.begin < persistentEnd)
      return op->emitOpError("puts ") << describe(value, mb) << " to " << text(range)
                                      << ", in the persistent buffers, which end at " << persistentEnd;
    if (range.end > plan.arenaBytes)
      return op->emitOpError("puts ") << describe(value, mb) << " to " << text(range)
                                      << ", beyond the arena, which ends at " << plan.arenaBytes;
    highest = std::max(highest, range.end);
    return success();
  }

  LogicalResult checkLocks(Operation *op, Range range, StringRef what) {
    for (const Lock &lock : locks)
      if (lock.range.overlaps(range))
        return conflict(op, what, range, lock);
    return success();
  }

  LogicalResult conflict(Operation *op, StringRef what, Range range, const Lock &lock) {
    InFlightDiagnostic error = op->emitOpError(what) << " " << text(range) << " while micro-batch " << lock.mb
                                                     << " of '" << both.channels[lock.channel].getSymName()
                                                     << "' is on its way " << (lock.receives ? "in" : "out");
    error.attachNote(lock.op->getLoc()) << "it starts here";
    return error;
  }

  Range unlock(const ActionInfo &action, bool receives) {
    auto it = llvm::find_if(locks, [&](const Lock &lock) {
      return lock.channel == action.target && lock.mb == action.microBatch && lock.receives == receives;
    });
    Range range = it->range; // proveMessages: it was started
    locks.erase(it);
    return range;
  }

  //===--- Sites ---===//

  // Counts a contribution: one call fills the site, once in each run of its task.
  LogicalResult accumulate(Operation *op, SiteOp site) {
    ++sites[keyOf(site)].added;
    return checkLocks(op, rangeOf(site), "adds to");
  }

  // Parameter, index, first accumulation group, and number of groups.
  using SiteKey = std::tuple<StringRef, int64_t, int64_t, int64_t>;
  static SiteKey keyOf(SiteOp site) { return {site.getParam(), site.getIndex(), site.getGroup(), site.getGroups()}; }

  // A site is complete if its sum has arrived from another rank, or if every micro-batch of its groups has added to it.
  LogicalResult checkComplete(Operation *op, const SiteKey &key) {
    const SiteState &state = sites[key];
    auto &[param, site, group, groups] = key;
    int64_t expected = both.table.microBatches / both.table.groups * groups;
    if (state.received || state.added == expected)
      return success();
    return op->emitOpError("needs site ")
           << site << " of '" << param << "' with " << expected << " contributions but it has " << state.added;
  }

  // The value that a call reads. In a run that keeps, the original stands for a clone's value.
  Value valueIn(bool keeps, Value operand) { return slots.valueIn(keeps, slots.resolve(operand)); }

  TableOfProgram &both;
  ProgramOp program;
  RankOp rank;
  const module::RankInfo &plan;
  TaskSlots &slots;
  const RouteTable &routes;
  PersistentBuffers buffers;
  int64_t persistentEnd = 0;
  Lifetimes lifetimes;
  HeldValues held;
  std::map<std::pair<int64_t, bool>, KnownTask> effects; // by task of the table, and whether the micro-batch is short
  // Contents of a base after a run, by those before; nothing if the run needs others. Micro-batches repeat few of
  // these.
  std::map<std::pair<const TaskEffect::Base *, int64_t>, std::optional<int64_t>> transitions;
  SmallVector<Lock> locks;
  std::map<SiteKey, SiteState> sites;
  llvm::StringSet<> renewed; // parameters whose buffer has the new value
  int64_t renewing = 0;      // parameters whose new value is on its way here
  int64_t highest = 0;       // the end of the last value
};

} // namespace

LogicalResult plc::plan::proveMemory(TableOfProgram &both, int64_t rank, int64_t limitBytes) {
  return RankProof(both, rank).run(limitBytes);
}
