//===- ExplainStep.cpp - what takes the time of a step ----------------------===//
#include "ExplainStep.h"
#include "ScheduleModel.h"

#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Format.h"
#include "plc/Planner/Gantt.h"
#include "plc/Planner/Partition.h"
#include "plc/Planner/StepTimes.h"
#include "plc/Planning/Summary.h"
#include "plc/Planning/TurnsAgain.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using planner::formatNs;
using planner::formatPart;

namespace {

/// What a kernel takes of a rank's step, in all its calls there.
struct KernelShare {
  int64_t ns = 0;
  CallOp call; // the first
  int64_t calls = 0;
};

class StepExplainer {
public:
  StepExplainer(ProgramOp program, const RouteTable &routes, llvm::raw_ostream &out)
      : program(program), routes(routes), kernels(program->getParentOfType<ModuleOp>()), out(out),
        stages(program.getBody().getOps<StageOp>()),
        problem(buildScheduleProblem(program, routes, predictedBytesPerNs)), schedule(readSchedule(program, runs)) {}

  void run(int64_t columns) {
    if (planner::Fault fault = planner::simulate(problem, schedule, simulation)) {
      out << *fault << "\n"; // a plan that is proven ends
      return;
    }
    int64_t step = simulation.makespan, bound = problem.bound();
    out << "step: " << formatNs(step) << " predicted; no order of these tasks takes less than " << formatNs(bound)
        << " (gap " << formatPart(step - bound, bound) << ")\n";
    if (int64_t replicas = program.getReplicas(); replicas > 1)
      out << "  on the first of " << replicas
          << " replicas; each of the others does the same with other micro-batches, "
          << "on as many ranks\n";
    out << "\n";
    if (PlanSummary::Prepared prepared = summarizePrepared(program); prepared.calls)
      out << "before the first step: " << plc::plan::describe(prepared) << "\n\n";
    out << planner::drawGantt(problem, schedule, simulation, columns) << "\n";
    if (int64_t saved = planner::savedWithoutWays(problem, schedule))
      out << "messages: if they took no time, the step would take " << formatNs(step - saved) << " (-"
          << formatPart(saved, step) << ")\n";
    std::vector<planner::RankTimes> times = planner::timesOf(problem, schedule, simulation);
    for (size_t rank = 0; rank < times.size(); ++rank)
      explainRank(rank, times[rank]);
    out << "\n";
  }

private:
  void explainRank(int64_t rank, const planner::RankTimes &times) {
    int64_t step = simulation.makespan;
    out << "rank " << rank << " (" << stagesOf(rank) << "): busy " << formatPart(times.busyNs, step);
    for (auto [other, ns] : times.waitsForRank)
      out << ", waits for rank " << other << " " << formatPart(ns, step);
    for (auto [way, ns] : times.waitsForWay)
      out << ", for " << nameOfWay(way) << " " << formatPart(ns, step);
    if (times.doneNs)
      out << ", done early " << formatPart(times.doneNs, step);
    out << "\n  bound by " << bindingOf(rank, times) << "\n";
    explainRecomputation(rank);
    explainWork(rank, times.busyNs);
  }

  std::string stagesOf(int64_t rank) {
    SmallVector<StringRef> names;
    for (StageOp stage : stages)
      if (int64_t(stage.getRank()) == rank)
        names.push_back(stage.getSymName());
    return llvm::join(names, ", ");
  }

  /// What would have to change for the step to become shorter, as seen from a rank: its work, if at least half of what it
  /// saves is saved in the step, or it is idle for less than a hundredth; else what it waits for longest.
  std::string bindingOf(int64_t rank, const planner::RankTimes &times) {
    int64_t step = simulation.makespan, saved = planner::savedByTenth(problem, schedule, rank);
    std::string effect = " (a tenth less work here makes the step " + formatPart(saved, step) + " shorter)";
    if (times.busyNs && (saved * 20 >= times.busyNs || (step - times.busyNs) * 100 < step))
      return "its work" + effect;
    auto longest = [](const std::map<int64_t, int64_t> &waits) {
      std::pair<int64_t, int64_t> most(-1, 0);
      for (auto [what, ns] : waits)
        if (ns > most.second)
          most = {what, ns};
      return most;
    };
    auto [other, otherNs] = longest(times.waitsForRank);
    auto [way, wayNs] = longest(times.waitsForWay);
    if (wayNs > otherNs)
      return "a channel, " + nameOfWay(way) + effect;
    if (otherNs)
      return "the order, behind rank " + std::to_string(other) + effect;
    return "nothing" + effect;
  }

  /// The largest value that travels for a dependence between two tasks.
  std::string nameOfWay(int64_t index) {
    const auto &each = problem.dependences[index];
    RouteOp largest;
    for (auto route : program.getBody().getOps<RouteOp>()) {
      if (route.getPer() == Per::step || stageIndex(program, route.getSource()) != each.source ||
          stageIndex(program, route.getDestination()) != each.destination)
        continue;
      TaskOp maker = makerOf(routes, route);
      if (maker && planner::TaskKind(maker.getRole()) == each.from &&
          (!largest || byteSize(route.getType()) > byteSize(largest.getType())))
        largest = route;
    }
    return "'" + largest.getCarries().str() + "' from " + largest.getSource().str();
  }

  /// Memory binds where calls of F, or turns of loops, run again for it.
  void explainRecomputation(int64_t rank) {
    std::vector<planner::ScheduleProblem::Stage> without = problem.stages;
    int64_t again = 0, ofTurns = 0;
    for (auto [index, stage] : llvm::enumerate(stages))
      if (int64_t(stage.getRank()) == rank)
        stage.walk([&, index = index](CallOp call) {
          auto kernel = kernels.lookup<KernelOp>(call.getKernel());
          auto task = cast<TaskOp>(call->getParentOp());
          if (task.getRole() == Role::P) // not of a micro-batch
            return;
          int64_t turns = nsOfTurnsAgain(kernel), ns = call.getRecompute() ? kernel.getNs() : turns;
          without[index].ns[int(task.getRole())] -= ns;
          again += ns;
          ofTurns += turns;
        });
    if (!again)
      return;
    int64_t saved = planner::savedBy(problem, schedule, without);
    out << "  memory: " << formatNs(again) << " of each micro-batch are recomputation, ";
    if (ofTurns)
      out << formatNs(ofTurns) << " of it turns of loops that run again, ";
    out << "without which the step would take " << formatNs(simulation.makespan - saved) << " (-"
        << formatPart(saved, simulation.makespan) << ")\n";
  }

  // Tasks, then kernels, that take most of what the rank computes.
  void explainWork(int64_t rank, int64_t busyNs) {
    constexpr size_t shown = 3;
    std::vector<std::pair<int64_t, std::string>> tasks;
    llvm::MapVector<StringRef, KernelShare> shares;
    for (auto [index, stage] : llvm::enumerate(stages)) {
      if (int64_t(stage.getRank()) != rank)
        continue;
      for (auto task : stage.getBody().getOps<TaskOp>())
        if (task.getRole() != Role::P)
          tasks.emplace_back(addTask(index, task, shares),
                             (stringifyRole(task.getRole()) + " of " + stage.getSymName()).str());
    }
    llvm::stable_sort(tasks, [](auto &a, auto &b) { return a.first > b.first; });
    SmallVector<std::string> texts;
    for (auto &[ns, name] : ArrayRef(tasks).take_front(shown))
      texts.push_back(name + " " + formatPart(ns, busyNs));
    out << "  of its work: " << llvm::join(texts, ", ") << "\n";
    auto kernelShares = shares.takeVector();
    llvm::stable_sort(kernelShares, [](auto &a, auto &b) { return a.second.ns > b.second.ns; });
    for (auto &[name, share] : ArrayRef(kernelShares).take_front(shown)) {
      CallOp call = share.call;
      out << llvm::formatv("    {0,6}  '{1}' of '{2}'", formatPart(share.ns, busyNs), name, call.getPath());
      if (share.calls > 1)
        out << " and " << share.calls - 1 << (share.calls > 2 ? " others" : " other");
      std::string line = lineOf(call.getLoc());
      out << (line.empty() ? "" : ", " + line) << "\n";
    }
  }

  /// Adds what a task's calls take in a step; returns the sum.
  int64_t addTask(int64_t stage, TaskOp task, llvm::MapVector<StringRef, KernelShare> &shares) {
    int64_t sum = 0;
    for (auto call : task.getBody().getOps<CallOp>()) {
      auto kernel = kernels.lookup<KernelOp>(call.getKernel());
      int64_t ns = 0;
      for (int64_t mb = 0; mb < problem.microBatches; ++mb)
        ns += problem.scaled(kernel.getNs(), mb);
      KernelShare &share = shares[call.getKernel()];
      share.ns += ns;
      share.calls += 1;
      if (!share.call)
        share.call = call;
      sum += ns;
    }
    return sum;
  }

  ProgramOp program;
  const RouteTable &routes;
  SymbolTable kernels;
  llvm::raw_ostream &out;
  SmallVector<StageOp> stages;
  std::vector<std::vector<RunOp>> runs;
  planner::ScheduleProblem problem;
  planner::Schedule schedule;
  planner::Simulation simulation;
};

} // namespace

void plc::plan::explainStep(ProgramOp program, const RouteTable &routes, int64_t columns, llvm::raw_ostream &out) {
  StepExplainer(program, routes, out).run(columns);
}
