//===- PredictStep.cpp - how long a planned step takes ----------------------===//
#include "plc/Planning/PredictStep.h"

#include "ScheduleModel.h"

#include "plc/Dialect/Plan/Values.h"
#include "plc/Simulator/Simulate.h"
#include "plc/Support/Chunks.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

/// Leaves out the updates, and the messages of a step's own channels. What came after one of them comes after what that came after.
static void keepTasks(simulator::Play &play) {
  using Action = simulator::Play::Action;
  auto isTask = [&](const Action &action) {
    bool isRun = action.op == simulator::Play::Op::Run;
    return action.op != simulator::Play::Op::Step && (isRun || !play.channels[action.target].perStep);
  };
  for (simulator::Play::Rank &rank : play.ranks) {
    std::vector<std::vector<int32_t>> after(rank.after.size()), kept; // by action and by task: numbers of tasks
    std::vector<int32_t> number(rank.actions.size());
    int32_t tasks = 0;
    for (size_t index = 0; index < rank.after.size(); ++index) {
      std::vector<int32_t> &mine = after[index];
      for (int32_t earlier : rank.after[index])
        if (isTask(rank.actions[earlier]))
          mine.push_back(number[earlier]);
        else
          llvm::append_range(mine, after[earlier]);
      llvm::sort(mine);
      mine.erase(llvm::unique(mine), mine.end());
      if (!isTask(rank.actions[index]))
        continue;
      number[index] = tasks++;
      kept.push_back(mine);
    }
    rank.after = std::move(kept);
    llvm::erase_if(rank.actions, [&](const Action &action) { return !isTask(action); });
  }
}

int64_t plc::plan::predictStep(ProgramOp program, const module::EntryPlan &table, const PerRate &rates, bool stepsMeet,
                               int64_t threads, StepPart part) {
  std::vector<int64_t> ns, chunks; // of the kernels, as the table counts them
  for (auto kernel : program->getParentOfType<ModuleOp>().getOps<KernelOp>()) {
    ns.push_back(kernel.getNs());
    // Threads share in each turn of a loop, one after the other.
    int64_t turns = kernel.getKind() == KernelKind::loop ? kernel.getLoop().getTurns() : 1;
    chunks.push_back(chunksOf(kernel.getNs() / turns));
  }
  ein::MicroBatches cut = program.getCut();
  simulator::Times times;
  times.stepsMeet = stepsMeet;
  times.threadsPerStage = threads;
  times.callNs = [&](const module::CallInfo &call, int64_t microBatch) {
    if (!cut.isRagged())
      return ns[call.kernel];
    return int64_t(double(ns[call.kernel]) * double(cut.samplesOf(microBatch)) / double(cut.mostSamples()));
  };
  times.chunks = [&](const module::CallInfo &call, int64_t) { return chunks[call.kernel]; };
  times.updateNs = [&](int64_t bytes) { return int64_t(double(bytes) * rates[Rate::updatedByte]); };
  simulator::Play play = simulator::playOf(table, times);
  if (part == StepPart::tasks)
    keepTasks(play);
  simulator::Simulation simulation;
  auto cluster = simulator::oneProcess(table.ranks.size(), 0, rates);
  return simulator::simulate(play, cluster, simulation) ? -1 : simulation.stepNs;
}

// By rank of the first replica: a replica's part of what all of them update, and of the new values, which each sends to others.
static std::vector<double> nsBehindTasks(ProgramOp ordered, const PerRate &rates) {
  int64_t replicas = ordered.getReplicas(), lanes = ordered.getLanes(), moments = ordered.getMoments();
  double nsPerSentByte = replicas > 1 ? simulator::oneProcess(1, 0, rates).inside.nsPerByte : 0;
  llvm::StringMap<int64_t> sites;
  ordered.walk([&](SiteOp site) { sites[site.getParam()] += lanes; });
  std::vector<double> ns(ordered.getRanksOfReplica());
  for (StageOp stage : stagesOfFirst(ordered))
    for (auto param : stage.getBody().getOps<ParamOp>())
      if (int64_t filled = sites.lookup(param.getParam()); filled && param.getOwned())
        ns[stage.getRank()] += double(byteSize(param.getType())) / double(replicas) *
                               (double(1 + filled + moments) * rates[Rate::updatedByte] + nsPerSentByte);
  return ns;
}

int64_t plc::plan::leastStep(ProgramOp ordered, const PerRate &rates, int64_t threads) {
  RouteTable routes(ordered);
  std::vector<std::vector<RunOp>> runs;
  planner::Simulation simulation;
  planner::Fault fault = planner::simulate(buildScheduleProblem(ordered, routes, predictedBytesPerNs),
                                           readSchedule(ordered, runs), simulation);
  assert(!fault && "who ordered it has played it");
  (void)fault;
  int64_t least = 0;
  for (auto [ends, behind] : llvm::zip(simulation.end, nsBehindTasks(ordered, rates)))
    least = std::max(least, (ends.empty() ? 0 : ends.back()) / threads + int64_t(behind));
  return least;
}
