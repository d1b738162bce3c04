//===- PlanInsertComm.cpp - turn routes between ranks into messages -------===//
#include "Base/Programs.h"
#include "ScheduleModel.h"

#include "plc/Analysis/RouteTable.h"
#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Base/Format.h"
#include "plc/Planner/Schedule/MessagePlan.h"
#include "plc/Planning/Passes.h"
#include "plc/Support/Errors.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
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

// The actions before run k of a rank, in this order; the last gap stands behind all runs. `planner::planMessages`
// decides the gap of each.
//
//   send         of run k-1
//   post_recv    for later runs, if a slot is free
//   wait_send    of messages that have arrived by now
//   wait_recv    for run k
//   post_recv    for later runs, if the slot became free just now
struct Gap {
  SmallVector<Operation *> sends, posts, waitSends, waitRecvs, latePosts;

  SmallVector<Operation *> inOrder() const {
    SmallVector<Operation *> all;
    for (auto *part : {&sends, &posts, &waitSends, &waitRecvs, &latePosts})
      llvm::append_range(all, *part);
    return all;
  }
};

// Plans all messages at once, declares a channel for each route between ranks, and writes the actions between the runs.
// Every wait is for an earlier action in one order of all runs, so no times of kernels lead to a deadlock.
class Messages {
public:
  Messages(ProgramOp program, const RouteTable &routes, int64_t maxSlots, int64_t tagLimit, int64_t bytesPerNs)
      : program(program), routes(routes), maxSlots(maxSlots), tagLimit(tagLimit), bytesPerNs(bytesPerNs),
        builder(program.getContext()) {
    problem = buildScheduleProblem(program, routes, bytesPerNs);
    schedule = readSchedule(program, runs);
    for (auto stage : program.getBody().getOps<StageOp>()) {
      stageNumbers[stage.getSymName()] = stages.size();
      stages.push_back(stage);
    }
  }

  LogicalResult run() {
    // Hand-written ranks may run anything; positions of messages are only defined for a valid order.
    if (planner::Status fault = problem.verify(schedule))
      return program.emitError("ranks do not run the program: ") << *fault;
    for (auto &rank : runs)
      gaps.emplace_back(rank.size() + 1);
    tails.resize(runs.size());
    planAll();
    for (auto route : llvm::to_vector(program.getBody().getOps<RouteOp>()))
      if (failed(addChannel(route)))
        return failure();
    write();
    return success();
  }

private:
  // The actions behind all runs of a rank, in this order.
  struct Tail {
    SmallVector<Operation *> starts, waitsBefore, step, sends, waitsAfter;
  };

  StageOp stageOf(StringRef name) { return stages[stageNumbers.lookup(name)]; }

  int64_t replicaOf(RouteOp route) { return stageOf(route.getSource()).getReplica(); }

  // Plans the messages of all routes at once, because a slot for one may delay another. Replicas send alike, by routes
  // in the same order, so the first replica is planned for all.
  void planAll() {
    std::vector<planner::MessageRoute> list;
    std::vector<size_t> next(program.getReplicas());
    for (auto route : program.getBody().getOps<RouteOp>()) {
      // Messages of the step stand at its end, and a route on one rank needs none.
      if (route.getPer() == Per::step || !routes.crossesRanks(route))
        continue;
      TaskOp maker = makerOf(routes, route), user = firstUser(routes.popOf(route).getResult());
      if (!maker || !user)
        continue; // `addChannel` reports it
      crossings[route] = next[replicaOf(route)]++;
      if (replicaOf(route) == 0)
        list.push_back({int64_t(stageNumbers.lookup(route.getSource())), planner::TaskKind(maker.getRole()),
                        int64_t(stageNumbers.lookup(route.getDestination())), planner::TaskKind(user.getRole()),
                        carriedBytes(route) / bytesPerNs});
    }
    messages = planner::planMessages(problem, schedule, list, maxSlots);
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
    // A tag is made of the channel's number between its two ranks, the micro-batch, and the direction as lowest bit. So
    // all tags between two ranks differ, and each side computes them without asking the other.
    int64_t ordinal = ordinals[std::minmax(from, to)]++;
    int64_t tag = 2 * program.getMicroBatches() * ordinal + (from < to ? 0 : 1);
    // An MPI library may offer fewer tags than there are messages.
    int64_t last = tag + 2 * (program.getMicroBatches() - 1);
    if (last > tagLimit)
      return emitNoPlan(route) << "route '" << route.getSymName() << "' (" << route.getCarries() << ") needs tag "
                               << last << ", limit " << tagLimit;
    // Channels stand before the ranks that name them.
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
    addMessages(*channel, route);
    return success();
  }

  void addMessages(ChannelOp channel, RouteOp route) {
    const planner::MessagePlan::Channel &planned = messages.channels[crossings.lookup(route)];
    auto &from = gaps[channel.getSource()], &to = gaps[channel.getDestination()];
    int64_t mb = program.getFirstRun(replicaOf(route));
    // The plan counts runs of one rank: sends follow their producer, receives precede their consumer.
    for (const auto &at : planned.messages) {
      auto &posted = at.late ? to[at.post].latePosts : to[at.post].posts;
      posted.push_back(make<PostRecvOp>(channel.getSymName(), mb, IntegerAttr()));
      to[at.consumer].waitRecvs.push_back(make<WaitRecvOp>(channel.getSymName(), mb));
      from[at.producer + 1].sends.push_back(make<SendOp>(channel.getSymName(), mb, IntegerAttr()));
      from[at.waitSend].waitSends.push_back(make<WaitSendOp>(channel.getSymName(), mb));
      ++mb;
    }
    channel.setSlots(planned.slots);
    remarkMessage(channel, route, planned.lostNs);
  }

  remark::RemarkOpts named(StringRef name) {
    return remark::RemarkOpts::name(name).category(DEBUG_TYPE).function(program.getSymName());
  }

  void remarkMessage(ChannelOp channel, RouteOp route, int64_t lostNs = 0) {
    remark::passed(route.getLoc(), named("Sent")) << remark::add(
        "route {0} is channel {1} from rank {2} to {3}: '{4}', {5} per {6}, {7} receives posted at once, "
        "which lose {8} ns of a step",
        route.getSymName(), channel.getSymName(), channel.getSource(), channel.getDestination(), route.getCarries(),
        planner::formatBytes(carriedBytes(route)), stringifyPer(route.getPer()), channel.getSlots(), lostNs);
  }

  // A gradient goes before the step, a new value after it. A gradient leaves as soon as the last run that adds to it
  // has ended, while other stages of the rank still run; its receive is posted from the beginning.
  void addPerStep(ChannelOp channel, RouteOp route) {
    auto site = routes.stashOf(route).getValue().getDefiningOp<SiteOp>();
    Tail &source = tails[channel.getSource()], &destination = tails[channel.getDestination()];
    Operation *post = make<PostRecvOp>(channel.getSymName(), int64_t(-1), IntegerAttr());
    Operation *send = make<SendOp>(channel.getSymName(), int64_t(-1), IntegerAttr());
    size_t complete = site ? endOf(stageOf(route.getSource()), site) : 0;
    std::vector<Gap> &runsOfSource = gaps[channel.getSource()];
    // If the last run completes it, it is sent with the tail.
    bool isEarly = site && complete + 1 < runsOfSource.size();
    (isEarly ? gaps[channel.getDestination()].front().posts : destination.starts).push_back(post);
    (isEarly ? runsOfSource[complete].sends : site ? source.starts : source.sends).push_back(send);
    Operation *wait = make<WaitRecvOp>(channel.getSymName(), int64_t(-1));
    // The step reads gradients, and new values are there for the next step.
    (site ? destination.waitsBefore : destination.waitsAfter).push_back(wait);
    source.waitsAfter.push_back(make<WaitSendOp>(channel.getSymName(), int64_t(-1)));
  }

  // The number of runs of the rank up to and including the last one that adds to a site.
  size_t endOf(StageOp stage, SiteOp site) {
    DenseSet<StringRef> adding;
    for (Operation *user : site->getUsers())
      if (auto task = dyn_cast<TaskOp>(user->getParentOp()))
        adding.insert(stringifyRole(task.getRole()));
    // From the end: the last run of a task that adds to the site, whichever micro-batch it is.
    ArrayRef<RunOp> list = runs[stage.getRank()];
    size_t end = list.size();
    while (end > 0 && (RunOp(list[end - 1]).getStage() != stage.getSymName() ||
                       !adding.contains(stringifyRole(RunOp(list[end - 1]).getRole()))))
      --end;
    return end;
  }

  // Actions were made in `scratch`, since their places are known only when all routes are planned.
  void write() {
    for (auto rank : program.getBody().getOps<RankOp>()) {
      int64_t index = rank.getIndex();
      // All ranks take the step, also those without parameters: they bring a share of the norm.
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
      // Waits for gradients come before the step, new values leave behind it; each list is in the order of routes.
      for (auto *part :
           {&last.sends, &tail.starts, &last.waitSends, &tail.waitsBefore, &tail.step, &tail.sends, &tail.waitsAfter})
        place(*part, nullptr);
    }
  }

  ProgramOp program;
  const RouteTable &routes;
  int64_t maxSlots, tagLimit, bytesPerNs;
  OpBuilder builder;
  planner::ScheduleProblem problem;
  planner::Schedule schedule;
  planner::MessagePlan messages;
  DenseMap<Operation *, size_t> crossings; // route that crosses ranks -> its number in `messages`
  std::vector<std::vector<RunOp>> runs;
  SmallVector<StageOp> stages;
  llvm::StringMap<int64_t> stageNumbers;
  std::vector<std::vector<Gap>> gaps;
  std::vector<Tail> tails;
  std::map<std::pair<int64_t, int64_t>, int64_t> ordinals;
  int64_t channels = 0;
  Block scratch;
};

struct PlanInsertCommPass : plc::plan::impl::PlanInsertCommBase<PlanInsertCommPass> {
  using PlanInsertCommBase::PlanInsertCommBase;

  void runOnOperation() override {
    ein::setPhase(getOperation(), PhaseKind::comm);
    if (failed(requireProgram(getOperation())))
      return signalPassFailure();
    for (auto program : getOperation().getOps<ProgramOp>())
      if (failed(check(program)) ||
          failed(Messages(program, getChildAnalysis<RouteTable>(program), maxSlots, tagLimit, bytesPerNs).run()))
        return signalPassFailure();
  }

private:
  LogicalResult check(ProgramOp program) {
    for (auto [name, value] :
         {std::pair("max-slots", int64_t(maxSlots)), std::pair("bytes-per-ns", int64_t(bytesPerNs))})
      if (value <= 0)
        return emitOptionError(program, name) << " is " << value << " but must be positive";
    if (failed(requireSchedule(program)) || failed(requireReplicas(program)))
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
