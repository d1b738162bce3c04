//===- ExplainStep.cpp - what takes the time of a step --------------------===//
#include "ExplainStep.h"
#include "Schedule/ScheduleModel.h"

#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Schedule/StepTimes.h"
#include "plc/Planning/Remat/RecomputedIterations.h"
#include "plc/Planning/Report/Summary.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

// Explains a step by playing the order again with one thing changed: no messages, a tenth less work, no recomputation.
class StepExplainer {
public:
  StepExplainer(ProgramOp program, const RouteTable &routes, Explanation &out)
      : program(program), routes(routes), kernels(program->getParentOfType<ModuleOp>()), out(out),
        stages(program.getBody().getOps<StageOp>()), problem(out.problem) {
    std::vector<std::vector<RunOp>> runs;
    out.problem = buildScheduleProblem(program, routes, predictedBytesPerNs);
    out.schedule = readSchedule(program, runs);
  }

  void run() {
    if (planner::Status fault = planner::simulate(problem, out.schedule, out.simulation)) {
      out.fault = *fault; // a plan that is proven ends
      return;
    }
    out.stepNs = out.simulation.makespan;
    out.boundNs = problem.bound();
    out.replicas = program.getReplicas();
    if (PlanSummary::Precomputed precomputed = summarizePrecomputed(program); precomputed.calls)
      out.precomputed = plc::plan::describe(precomputed);
    out.withoutMessagesNs = out.stepNs - planner::savedWithoutTransfers(problem, out.schedule);
    for (const planner::RankTimes &times : planner::timesOf(problem, out.schedule, out.simulation))
      explainRank(int64_t(out.ranks.size()), times);
  }

private:
  void explainRank(int64_t number, const planner::RankTimes &times) {
    Explanation::Rank &rank = out.ranks.emplace_back();
    for (StageOp stage : stages)
      if (int64_t(stage.getRank()) == number)
        rank.stages.push_back(stage.getSymName().str());
    rank.busyNs = times.busyNs;
    rank.doneEarlyNs = times.doneNs;
    for (auto [other, ns] : times.waitsForRank)
      rank.waits.push_back({nameOfRank(other), ns});
    for (auto [way, ns] : times.waitsForWay)
      rank.waits.push_back({nameOfWay(way), ns});
    rank.savedByTenthNs = planner::savedByTenth(problem, out.schedule, number);
    bind(rank, times);
    explainRecomputation(number, rank);
    explainWork(number, rank);
  }

  static std::string nameOfRank(int64_t rank) { return "rank " + std::to_string(rank); }

  /// What would have to change for the step to become shorter, as seen from a rank:
  ///   - Its work, if a tenth less of it shortens the step by at least half of that tenth, or if the rank idles for
  ///     less than a hundredth of the step.
  ///   - Else the value or the rank that it waits for longest.
  ///
  /// Both limits are conventions of the report, not tuned.
  void bind(Explanation::Rank &rank, const planner::RankTimes &times) {
    using enum Explanation::Binding;
    auto longest = [](const std::map<int64_t, int64_t> &waits) {
      std::pair<int64_t, int64_t> most(-1, 0);
      for (auto [what, ns] : waits)
        if (ns > most.second)
          most = {what, ns};
      return most;
    };
    auto [other, otherNs] = longest(times.waitsForRank);
    auto [way, wayNs] = longest(times.waitsForWay);
    if (rank.busyNs && (rank.savedByTenthNs * 20 >= rank.busyNs || (out.stepNs - rank.busyNs) * 100 < out.stepNs)) {
      rank.binding = work;
    } else if (wayNs > otherNs) {
      rank.binding = channel;
      rank.bindingBy = nameOfWay(way);
    } else if (otherNs) {
      rank.binding = order;
      rank.bindingBy = nameOfRank(other);
    }
  }

  /// Names a dependence by the largest value that travels for it.
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

  /// Finds the time that calls of F, or iterations of loops, take for running again, and the step without it.
  void explainRecomputation(int64_t number, Explanation::Rank &rank) {
    std::vector<planner::ScheduleProblem::Stage> without = problem.stages;
    for (auto [index, stage] : llvm::enumerate(stages))
      if (int64_t(stage.getRank()) == number)
        stage.walk([&, index = index](CallOp call) {
          auto kernel = kernels.lookup<KernelOp>(call.getKernel());
          auto task = cast<TaskOp>(call->getParentOp());
          if (task.getRole() == Role::P) // does not run for each micro-batch
            return;
          int64_t iterations = nsOfRecomputedIterations(kernel), ns = call.getRecompute() ? kernel.getNs() : iterations;
          without[index].ns[int(task.getRole())] -= ns;
          rank.recomputedNs += ns;
          rank.loopsNs += iterations;
        });
    if (rank.recomputedNs)
      rank.withoutNs = out.stepNs - planner::savedBy(problem, out.schedule, without);
  }

  // The tasks, and then the kernels, of a rank, longest first.
  void explainWork(int64_t number, Explanation::Rank &rank) {
    llvm::MapVector<StringRef, Explanation::Kernel> shares;
    for (auto [index, stage] : llvm::enumerate(stages)) {
      if (int64_t(stage.getRank()) != number)
        continue;
      for (auto task : stage.getBody().getOps<TaskOp>())
        if (task.getRole() != Role::P)
          rank.tasks.push_back(
              {(stringifyRole(task.getRole()) + " of " + stage.getSymName()).str(), addTask(task, shares)});
    }
    for (auto &[name, share] : shares)
      rank.kernels.push_back(std::move(share));
    auto isLonger = [](auto &a, auto &b) { return a.ns > b.ns; };
    llvm::stable_sort(rank.tasks, isLonger);
    llvm::stable_sort(rank.kernels, isLonger);
  }

  /// Adds the time of a task's calls in a step to `shares`; returns their sum.
  int64_t addTask(TaskOp task, llvm::MapVector<StringRef, Explanation::Kernel> &shares) {
    int64_t sum = 0;
    for (auto call : task.getBody().getOps<CallOp>()) {
      auto kernel = kernels.lookup<KernelOp>(call.getKernel());
      int64_t ns = 0;
      for (int64_t mb = 0; mb < problem.microBatches; ++mb)
        ns += problem.scaled(kernel.getNs(), mb);
      Explanation::Kernel &share = shares[call.getKernel()];
      if (!share.calls++)
        share = {call.getKernel().str(), call.getPath().str(), lineOf(call.getLoc()), 0, 1};
      share.ns += ns;
      sum += ns;
    }
    return sum;
  }

  ProgramOp program;
  const RouteTable &routes;
  SymbolTable kernels;
  Explanation &out;
  SmallVector<StageOp> stages;
  const planner::ScheduleProblem &problem;
};

} // namespace

void plc::plan::explainStep(ProgramOp program, const RouteTable &routes, Explanation &out) {
  StepExplainer(program, routes, out).run();
}
