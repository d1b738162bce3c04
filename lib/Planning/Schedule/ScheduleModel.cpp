//===- ScheduleModel.cpp - programs as scheduling problems ----------------===//
#include "ScheduleModel.h"

#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Schedule/ScheduleFile.h"
#include "plc/Planner/Schedule/SharedStages.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using planner::TaskKind;

int64_t plc::plan::stageIndex(ProgramOp program, StringRef name) {
  for (auto [index, stage] : llvm::enumerate(program.getBody().getOps<StageOp>()))
    if (stage.getSymName() == name)
      return index;
  return -1;
}

TaskOp plc::plan::firstUser(Value value) {
  TaskOp first;
  for (Operation *user : value.getUsers())
    if (auto task = dyn_cast<TaskOp>(user->getParentOp()); task && (!first || task->isBeforeInBlock(first)))
      first = task;
  return first;
}

TaskOp plc::plan::makerOf(const RouteTable &routes, RouteOp route) {
  StashOp stash = routes.stashOf(route);
  return stash ? stash.getValue().getDefiningOp<TaskOp>() : nullptr;
}

static llvm::StringMap<int64_t> stageIndices(ProgramOp program) {
  llvm::StringMap<int64_t> indices;
  for (auto [index, stage] : llvm::enumerate(stagesOfFirst(program)))
    indices[stage.getSymName()] = index;
  return indices;
}

static TaskKind phaseOf(TaskOp task) { return TaskKind(task.getRole()); }

// The problem of the first replica; the others run the same with other micro-batches.
planner::ScheduleProblem plc::plan::buildScheduleProblem(ProgramOp program, const RouteTable &routes,
                                                         int64_t bytesPerNs) {
  planner::ScheduleProblem problem;
  problem.microBatches = program.getRunsOfReplica();
  problem.shards = program.getShards();
  problem.pipeline = pipelineOf(program);
  if (ein::MicroBatches cut = program.getCut(); cut.isRagged())
    for (int64_t mb = 0; mb < problem.microBatches; ++mb)
      problem.samples.push_back(cut.samplesOf(mb));
  SymbolTable symbols(program->getParentOfType<ModuleOp>());
  for (auto [index, stage] : llvm::enumerate(stagesOfFirst(program))) {
    auto &plain = problem.stages.emplace_back();
    plain.rank = stage.getRank();
    for (auto task : stage.getBody().getOps<TaskOp>()) {
      if (task.getRole() == Role::P)
        continue; // P runs before the first step, so it takes no time of one
      plain.has[int(phaseOf(task))] = true;
      for (auto call : task.getBody().getOps<CallOp>())
        if (auto kernel = symbols.lookup<KernelOp>(call.getKernelAttr().getAttr()))
          plain.ns[int(phaseOf(task))] += kernel.getNs();
      for (Value result : task.getResults())
        for (Operation *user : result.getUsers())
          if (auto other = dyn_cast<TaskOp>(user->getParentOp()); other && other != task)
            problem.dependences.push_back({int64_t(index), phaseOf(task), int64_t(index), phaseOf(other)});
    }
  }
  // F before B before W, even if they exchange no value.
  for (auto [index, stage] : llvm::enumerate(problem.stages))
    for (auto [from, to] : {std::pair(TaskKind::F, TaskKind::B), std::pair(TaskKind::F, TaskKind::W),
                            std::pair(TaskKind::B, TaskKind::W)})
      if (stage.has[int(from)] && stage.has[int(to)])
        problem.dependences.push_back({int64_t(index), from, int64_t(index), to});
  llvm::StringMap<int64_t> indices = stageIndices(program);
  for (auto route : program.getBody().getOps<RouteOp>()) {
    // A message per step orders no tasks of a micro-batch.
    if (route.getPer() == Per::step || !indices.contains(route.getSource()))
      continue;
    TaskOp maker = makerOf(routes, route);
    int64_t source = indices.lookup(route.getSource()), destination = indices.lookup(route.getDestination());
    // On one rank a route is a handle move, which takes no time.
    bool apart = problem.stages[source].rank != problem.stages[destination].rank;
    for (Operation *user : routes.popOf(route).getResult().getUsers())
      if (auto task = dyn_cast<TaskOp>(user->getParentOp()); task && maker)
        problem.dependences.push_back(
            {source, phaseOf(maker), destination, phaseOf(task), apart ? byteSize(route.getType()) / bytesPerNs : 0});
  }
  // Of equal dependences the slowest remains: it sorts first, because the key has the negative time.
  auto key = [](const auto &each) { return std::tuple(each.source, each.from, each.destination, each.to, -each.ns); };
  auto same = [&](const auto &a, const auto &b) {
    return std::tie(a.source, a.from, a.destination, a.to) == std::tie(b.source, b.from, b.destination, b.to);
  };
  llvm::sort(problem.dependences, [&](const auto &a, const auto &b) { return key(a) < key(b); });
  problem.dependences.erase(std::unique(problem.dependences.begin(), problem.dependences.end(), same),
                            problem.dependences.end());
  return problem;
}

planner::Schedule plc::plan::readSchedule(ProgramOp program, std::vector<std::vector<RunOp>> &runs) {
  planner::Schedule schedule;
  llvm::StringMap<int64_t> stages = stageIndices(program);
  schedule.ranks.resize(program.getRanksOfReplica());
  runs.assign(program.getNumRanks(), {});
  for (auto rank : program.getBody().getOps<RankOp>())
    for (auto run : rank.getBody().getOps<RunOp>()) {
      if (run.prepares())
        continue;
      // Only the first replica's stages have a number, and its orders are those of all.
      if (stages.contains(run.getStage()))
        schedule.ranks[rank.getIndex()].push_back(
            {stages.lookup(run.getStage()), TaskKind(run.getRole()), run.getMb()});
      runs[rank.getIndex()].push_back(run);
    }
  return schedule;
}

// Declared beside the other reports (plc/Planning/Report/Summary.h), which schedules do not include.
namespace plc::plan {
void printSchedule(ProgramOp program, llvm::raw_ostream &out) {
  std::vector<std::vector<RunOp>> runs;
  planner::Schedule schedule = readSchedule(program, runs);
  planner::ScheduleProblem problem = buildScheduleProblem(program, RouteTable(program), 1);
  // If all ranks of a group run one order, the group gets one row, as in a schedule file.
  if (!problem.pipeline.empty())
    if (std::optional<planner::Schedule> whole = planner::pipelineOrderOf(problem, schedule)) {
      out << planner::writeSchedule(planner::pipelineOf(problem), *whole);
      return;
    }
  out << planner::writeSchedule(problem, schedule);
}
} // namespace plc::plan
