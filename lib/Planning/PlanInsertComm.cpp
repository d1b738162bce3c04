//===- PlanInsertComm.cpp - turn routes between ranks into messages -------===//
#include "Programs.h"
#include "ScheduleModel.h"

#include "plc/Support/Errors.h"
#include "plc/Analysis/TaskSlots.h"
#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Partition.h"
#include "plc/Planning/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace plc::plan {
#define GEN_PASS_DEF_PLANINSERTCOMM
#include "lib/Planning/Passes.h.inc"
} // namespace plc::plan

#define DEBUG_TYPE "plan-insert-comm"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

// What stands before run k of a rank (the last gap stands behind all runs), in this order:
//
//   send, drop         of run k-1
//   post_recv          for run k+1, when a slot is free
//   wait_send, drop    receives posted earlier in the one order of all runs
//   wait_recv          for run k
//   post_recv          for run k+1, when the slot became free just now
//
// The order of all runs is (predicted start, place in the simulation). A wait stands just before a run, what it
// waits for just after an earlier run or just before one: so no cycle, whatever the true times.
struct Gap {
  SmallVector<Operation *> sends, drops, posts, waitSends, lateDrops, waitRecvs, latePosts;

  SmallVector<Operation *> inOrder() const {
    SmallVector<Operation *> all;
    for (auto *part : {&sends, &drops, &posts, &waitSends, &lateDrops, &waitRecvs, &latePosts})
      llvm::append_range(all, *part);
    return all;
  }
};

class Messages {
public:
  Messages(ProgramOp program, TaskSlots &slots, int64_t maxSlots, int64_t tagLimit, int64_t bytesPerNs)
      : program(program), slots(slots), routes(slots.getRoutes()), maxSlots(maxSlots), tagLimit(tagLimit),
        builder(program.getContext()) {
    problem = buildScheduleProblem(program, routes, bytesPerNs);
    schedule = readSchedule(program, runs);
    for (auto [clone, original] : slots.getOriginals())
      repeated.insert(original);
    for (auto stage : program.getBody().getOps<StageOp>()) {
      stageNumbers[stage.getSymName()] = stages.size();
      stages.push_back(stage);
    }
    for (const auto &rank : schedule.ranks)
      for (auto [index, job] : llvm::enumerate(rank))
        positions[{planner::ScheduleProblem::nodeOf(job.stage, job.kind), job.microBatch}] = index;
  }

  LogicalResult run() {
    if (planner::Fault fault = problem.verify(schedule))
      return program.emitError("ranks do not run the program: ") << *fault;
    if (planner::Fault fault = planner::simulate(problem, schedule, times))
      return program.emitError("ranks do not run the program: ") << *fault;
    for (auto &rank : runs)
      gaps.emplace_back(rank.size() + 1);
    tails.resize(runs.size());
    findUses();
    for (auto route : llvm::to_vector(program.getBody().getOps<RouteOp>()))
      if (failed(addChannel(route)))
        return failure();
    addDrops();
    write();
    return success();
  }

private:
  using Key = std::pair<int64_t, int64_t>;
  using Instance = std::pair<Value, int64_t>;

  // Behind everything else of a rank; each part before the next.
  struct Tail {
    SmallVector<Operation *> starts, waitsBefore, step, sends, waitsAfter;
  };

  Key keyOf(int64_t rank, int64_t run) { return {times.start[rank][run], times.place[rank][run]}; }

  // Position of a run among those of its rank.
  int64_t indexOf(StageOp stage, Role role, int64_t mb) {
    int64_t number = stageNumbers.lookup(stage.getSymName());
    return positions.at({planner::ScheduleProblem::nodeOf(number, planner::TaskKind(role)), mb});
  }

  StageOp stageOf(StringRef name) { return stages[stageNumbers.lookup(name)]; }

  // The last run that has each value of each micro-batch in a slot, and a slot that names it.
  void findUses() {
    for (auto [rank, list] : llvm::enumerate(runs))
      for (auto [index, run] : llvm::enumerate(list)) {
        TaskOp task = stageOf(run.getStage()).getTask(run.getRole());
        for (auto [slot, value] : llvm::enumerate(slots.of(task))) {
          Use &use = uses[{slots.valueIn(run, value), run.getMb()}];
          use.crosses |= bool(use.task) || isa<PopOp>(value.getDefiningOp()) || repeated.contains(value);
          if (!use.task)
            use = {int64_t(rank), task, int64_t(slot), 0, use.crosses};
          use.lastRun = index;
        }
      }
  }

  template <typename Action, typename... Arguments>
  Operation *make(Arguments... arguments) {
    builder.setInsertionPointToEnd(&scratch);
    return Action::create(builder, program.getLoc(), arguments...);
  }

  FailureOr<ChannelOp> declare(RouteOp route) {
    StageOp source = stageOf(route.getSource());
    StageOp destination = stageOf(route.getDestination());
    int64_t from = source.getRank(), to = destination.getRank();
    // Channels between two ranks are numbered together, and the lowest bit of a tag is the direction. So all tags
    // between the two differ.
    int64_t ordinal = ordinals[std::minmax(from, to)]++;
    int64_t tag = 2 * program.getMicroBatches() * ordinal + (from < to ? 0 : 1);
    int64_t last = tag + 2 * (program.getMicroBatches() - 1);
    if (last > tagLimit)
      return emitNoPlan(route) << "route '" << route.getSymName() << "' (" << route.getCarries() << ") needs tag "
                               << last << ", limit " << tagLimit;
    builder.setInsertionPoint(*program.getBody().getOps<RankOp>().begin());
    auto name = builder.getStringAttr("c" + Twine(channels++));
    return ChannelOp::create(builder, route.getLoc(), name, nullptr, FlatSymbolRefAttr::get(route.getSymNameAttr()),
                             builder.getI64IntegerAttr(from), builder.getI64IntegerAttr(to),
                             builder.getI64IntegerAttr(1), builder.getI64IntegerAttr(tag));
  }

  LogicalResult addChannel(RouteOp route) {
    StageOp source = stageOf(route.getSource());
    StageOp destination = stageOf(route.getDestination());
    if (source.getRank() == destination.getRank()) {
      remark::passed(route.getLoc(), named("Handed"))
          << remark::add("route {0} stays on rank {1}: '{2}' is handed over in its place", route.getSymName(),
                         source.getRank(), route.getCarries());
      return success();
    }
    FailureOr<ChannelOp> channel = declare(route);
    if (failed(channel))
      return failure();
    if (route.getPer() == Per::step) {
      addPerStep(*channel, route);
      remarkMessage(*channel, route);
      return success();
    }
    TaskOp maker = makerOf(routes, route), user = firstUser(routes.popOf(route).getResult());
    if (!maker || !user)
      return route.emitError("route '") << route.getSymName() << "' has no task at its "
                                        << (maker ? "destination" : "source");
    Value stashed = slots.resolve(routes.stashOf(route).getValue());
    int64_t from = source.getRank(), to = destination.getRank();
    SmallVector<int64_t> consumers, posts; // runs, per micro-batch
    SmallVector<bool> lates;
    for (int64_t mb = 0; mb < program.getMicroBatches(); ++mb) {
      int64_t consumer = indexOf(destination, user.getRole(), mb), producer = indexOf(source, maker.getRole(), mb);
      // Post one run ahead, so that the message can travel while that run computes; earlier would hold its bytes for
      // longer.
      int64_t post = std::max<int64_t>(consumer - 1, 0);
      bool late = mb >= maxSlots && consumers[mb - maxSlots] >= post;
      if (late)
        post = consumers[mb - maxSlots];
      consumers.push_back(consumer);
      posts.push_back(post);
      lates.push_back(late);
      auto &posted = late ? gaps[to][post].latePosts : gaps[to][post].posts;
      posted.push_back(make<PostRecvOp>(channel->getSymName(), mb, IntegerAttr()));
      gaps[to][consumer].waitRecvs.push_back(make<WaitRecvOp>(channel->getSymName(), mb));
      gaps[from][producer + 1].sends.push_back(make<SendOp>(channel->getSymName(), mb, IntegerAttr()));
      // The sender waits before its first run that is later, in the one order of all runs, than the run at which the
      // receiver posts. So the wait is for something earlier in that order, and no cycle of waits can arise.
      int64_t wait = producer + 1;
      while (wait < int64_t(runs[from].size()) && keyOf(from, wait) < keyOf(to, post))
        ++wait;
      gaps[from][wait].waitSends.push_back(make<WaitSendOp>(channel->getSymName(), mb));
      Use &use = uses[{stashed, mb}];
      use.lastWait = std::max(use.lastWait, wait);
      use.crosses = true;
    }
    channel->setSlots(maxOutstandingReceives(posts, lates, consumers));
    remarkMessage(*channel, route);
    return success();
  }

  remark::RemarkOpts named(StringRef name) {
    return remark::RemarkOpts::name(name).category(DEBUG_TYPE).function(program.getSymName());
  }

  void remarkMessage(ChannelOp channel, RouteOp route) {
    remark::passed(route.getLoc(), named("Sent")) << remark::add(
        "route {0} is channel {1} from rank {2} to {3}: '{4}', {5} per {6}, {7} receives posted at once",
        route.getSymName(), channel.getSymName(), channel.getSource(), channel.getDestination(), route.getCarries(),
        planner::formatBytes(byteSize(route.getType())), stringifyPer(route.getPer()), channel.getSlots());
  }

  // Receives posted and not waited for, at most. Before one run, late posts follow the waits, others precede them.
  // Consumers ascend, as the runs of a task do, so those still open when micro-batch mb is posted are the last before it.
  static int64_t maxOutstandingReceives(ArrayRef<int64_t> posts, ArrayRef<bool> lates, ArrayRef<int64_t> consumers) {
    int64_t most = 1;
    for (size_t mb = 0; mb < posts.size(); ++mb) {
      const int64_t *earlier = consumers.data(), *firstOpen = lates[mb]
                                                                  ? std::upper_bound(earlier, earlier + mb, posts[mb])
                                                                  : std::lower_bound(earlier, earlier + mb, posts[mb]);
      most = std::max<int64_t>(most, earlier + mb - firstOpen + 1);
    }
    return most;
  }

  // A site goes before the step, a parameter after it.
  void addPerStep(ChannelOp channel, RouteOp route) {
    bool site = isa<SiteOp>(routes.stashOf(route).getValue().getDefiningOp());
    Tail &source = tails[channel.getSource()], &destination = tails[channel.getDestination()];
    destination.starts.push_back(make<PostRecvOp>(channel.getSymName(), int64_t(-1), IntegerAttr()));
    Operation *send = make<SendOp>(channel.getSymName(), int64_t(-1), IntegerAttr());
    (site ? source.starts : source.sends).push_back(send);
    Operation *wait = make<WaitRecvOp>(channel.getSymName(), int64_t(-1));
    (site ? destination.waitsBefore : destination.waitsAfter).push_back(wait);
    source.waitsAfter.push_back(make<WaitSendOp>(channel.getSymName(), int64_t(-1)));
  }

  void addDrops() {
    DenseMap<Value, OutputOp> outputs = outputsOf(program, routes);
    for (auto &[instance, use] : uses) {
      auto [value, mb] = instance;
      if (!use.crosses || isa<InputOp>(value.getDefiningOp()) || outputs.contains(value))
        continue;
      auto stage = cast<StageOp>(use.task->getParentOp());
      Operation *drop = make<DropOp>(stage.getSymName(), use.task.getRole(), use.slot, mb, IntegerAttr());
      if (use.lastWait > use.lastRun)
        gaps[use.rank][use.lastWait].lateDrops.push_back(drop);
      else
        gaps[use.rank][use.lastRun + 1].drops.push_back(drop);
    }
  }

  void write() {
    for (auto rank : program.getBody().getOps<RankOp>()) {
      int64_t index = rank.getIndex();
      if (program.isTraining())
        tails[index].step.push_back(make<StepOp>());
      Block &block = rank.getBody().front();
      auto place = [&](ArrayRef<Operation *> actions, Operation *before) {
        for (Operation *action : actions) {
          action->remove();
          block.getOperations().insert(before ? Block::iterator(before) : block.end(), action);
        }
      };
      for (auto [position, run] : llvm::enumerate(runs[index]))
        place(gaps[index][position].inOrder(), run);
      const Tail &tail = tails[index];
      const Gap &last = gaps[index].back();
      for (auto *part : {&last.sends, &last.drops, &tail.starts, &last.waitSends, &last.lateDrops, &tail.waitsBefore,
                         &tail.step, &tail.sends, &tail.waitsAfter})
        place(*part, nullptr);
    }
  }

  struct Use {
    int64_t rank = 0;
    TaskOp task;
    int64_t slot = 0, lastRun = 0;
    bool crosses = false; // out of its task, or computed again
    int64_t lastWait = -1;
  };

  ProgramOp program;
  TaskSlots &slots;
  const RouteTable &routes;
  int64_t maxSlots, tagLimit;
  OpBuilder builder;
  planner::ScheduleProblem problem;
  planner::Schedule schedule;
  planner::Simulation times;
  std::vector<std::vector<RunOp>> runs;
  SmallVector<StageOp> stages;
  llvm::StringMap<int64_t> stageNumbers;
  std::map<std::pair<int64_t, int64_t>, int64_t> positions; // of (task, micro-batch) on its rank
  std::vector<std::vector<Gap>> gaps;
  std::vector<Tail> tails;
  DenseSet<Value> repeated; // what is computed again is dropped, so that nothing can read it meanwhile
  llvm::MapVector<Instance, Use> uses;
  std::map<std::pair<int64_t, int64_t>, int64_t> ordinals;
  int64_t channels = 0;
  Block scratch;
};

struct PlanInsertCommPass : plc::plan::impl::PlanInsertCommBase<PlanInsertCommPass> {
  using PlanInsertCommBase::PlanInsertCommBase;

  void runOnOperation() override {
    if (failed(requireProgram(getOperation())))
      return signalPassFailure();
    for (auto program : getOperation().getOps<ProgramOp>())
      if (failed(check(program)) ||
          failed(Messages(program, getChildAnalysis<TaskSlots>(program), maxSlots, tagLimit, bytesPerNs).run()))
        return signalPassFailure();
  }

private:
  LogicalResult check(ProgramOp program) {
    for (auto [name, value] :
         {std::pair("max-slots", int64_t(maxSlots)), std::pair("bytes-per-ns", int64_t(bytesPerNs))})
      if (value <= 0)
        return emitOptionError(program, name) << " is " << value << " but must be positive";
    if (failed(requireSchedule(program)))
      return failure();
    for (auto rank : program.getBody().getOps<RankOp>())
      for (Operation &op : rank.getBody().front())
        if (!isa<RunOp>(op))
          return op.emitOpError("stands on rank ")
                 << rank.getIndex() << " already, but messages are inserted between runs "
                 << "alone";
    return success();
  }
};

} // namespace
