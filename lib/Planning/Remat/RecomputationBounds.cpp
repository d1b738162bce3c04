//===- RecomputationBounds.cpp - certificates of recomputation ------------===//
#include "RecomputationBounds.h"

#include "BudgetedRematModel.h"

#include "plc/Analysis/TaskSlots.h"
#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Remat/RematPolicies.h"

#include "llvm/ADT/StringMap.h"

#include <map>

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using planner::BudgetedRematProblem;
using planner::RematProblem;

namespace {

// The program without its clones, as the problem that policies other than budgets solve.
class KeptValues {
public:
  KeptValues(ProgramOp program, const RouteTable &routes, ArrayRef<std::string> keepKinds)
      : routes(routes), outputs(outputsOf(program, routes)), kernels(program->getParentOfType<ModuleOp>()),
        keepKinds(keepKinds) {
    for (auto layer : program.getBody().getOps<LayerOp>())
      kinds[layer.getPath()] = layer.getKind();
    for (auto [index, stage] : llvm::enumerate(stagesOfFirst(program)))
      for (auto task : stage.getBody().getOps<TaskOp>())
        for (auto call : task.getBody().getOps<CallOp>())
          if (!call.getRecompute() && task.getRole() != Role::P)
            task.getRole() == Role::F ? addForward(call, index) : addBackward(call, task.getRole(), index);
  }

  RematProblem problem;

private:
  void addForward(CallOp call, int64_t stage) {
    RematProblem::Call made;
    made.selected = !llvm::is_contained(keepKinds, kinds.lookup(call.getPath()));
    made.ns = kernels.lookup<KernelOp>(call.getKernelAttr().getAttr()).getNs();
    made.stage = stage;
    for (Value result : call.getResults()) {
      numbers[result] = problem.values.size();
      made.results.push_back(problem.values.size());
      problem.values.push_back(
          {byteSize(result.getType()), int64_t(problem.calls.size()), outputs.contains(result), false});
    }
    problem.calls.push_back(std::move(made));
  }

  // A read of a clone is a read of its original, because the problem does not know the clones.
  void addBackward(CallOp call, Role role, int64_t stage) {
    RematProblem::BackwardCall reads{planner::TaskKind(role), {}, stage};
    for (Value operand : call.getArgs()) {
      Value value = routes.resolve(operand);
      if (auto clone = value.getDefiningOp<CallOp>(); clone && clone.getRecompute())
        if (CallOp original = originals.of(clone))
          value = original.getResult(cast<OpResult>(value).getResultNumber());
      // Parameters and received values are no results of F, so nothing is decided about them.
      if (auto it = numbers.find(value); it != numbers.end())
        reads.args.push_back(it->second);
    }
    problem.backward.push_back(std::move(reads));
  }

  const RouteTable &routes;
  Originals originals;
  DenseMap<Value, OutputOp> outputs;
  SymbolTable kernels;
  ArrayRef<std::string> keepKinds;
  llvm::StringMap<StringRef> kinds; // of paths
  DenseMap<Value, int64_t> numbers;
};

// How a stage's tasks interleave: the most micro-batches that have begun and not ended at one time, and whether other
// tasks run between a B and its W.
struct Flight {
  int64_t most = 1;
  bool splitsBackward = false;
};

// Counts over the order of each rank. A micro-batch is in flight from its F to its last run in the stage.
llvm::StringMap<Flight> flightsOf(ProgramOp program) {
  struct State {
    Flight flight;
    llvm::SmallVector<int64_t> left; // runs of each micro-batch
    int64_t flying = 0;
  };
  llvm::StringMap<State> states; // of stages
  // First pass: how many runs each micro-batch has in a stage. Second pass: count down, to know when it has left.
  for (auto rank : program.getBody().getOps<RankOp>())
    for (auto run : rank.getBody().getOps<RunOp>()) {
      if (run.prepares())
        continue;
      State &state = states[run.getStage()];
      if (int64_t(state.left.size()) <= run.getMb())
        state.left.resize(run.getMb() + 1);
      ++state.left[run.getMb()];
    }
  for (auto rank : program.getBody().getOps<RankOp>()) {
    const State *last = nullptr;
    int64_t lastMb = 0;
    for (auto run : rank.getBody().getOps<RunOp>()) {
      if (run.prepares())
        continue;
      State &state = states[run.getStage()];
      if (run.getRole() == Role::F)
        state.flight.most = std::max(state.flight.most, ++state.flying);
      // A W that does not directly follow its B is split from it.
      state.flight.splitsBackward |= run.getRole() == Role::W && (last != &state || lastMb != run.getMb());
      if (--state.left[run.getMb()] == 0)
        --state.flying;
      last = &state;
      lastMb = run.getMb();
    }
  }
  llvm::StringMap<Flight> flights;
  for (const auto &each : states)
    flights[each.getKey()] = each.getValue().flight;
  return flights;
}

// The peak of a rank: while one stage computes, each other stage has its saved activations live for as many
// micro-batches as it has in flight.
int64_t peakOfRank(ArrayRef<StageRemat> stages) {
  auto held = [](const StageRemat &stage) { return stage.problem.inFlight * stage.problem.heldBytes(stage.found()); };
  int64_t all = 0, peak = 0;
  for (const StageRemat &stage : stages)
    all += held(stage);
  for (const StageRemat &stage : stages)
    peak = std::max(peak, stage.problem.peakOf(stage.found()).bytes + all - held(stage));
  return peak;
}

// Gives each stage all bytes that its rank uses at its peak. That is at least what the stage has in any order, so the
// sum of the stages' bounds is a bound for the rank.
int64_t boundUnderBudget(ProgramOp program, ArrayRef<std::string> keepKinds) {
  planner::KnownRematBounds known; // of equal stages
  llvm::StringMap<Flight> flights = flightsOf(program);
  BudgetedRematContext context(program, keepKinds);
  std::map<int64_t, std::vector<StageRemat>> ranks;
  for (StageOp stage : stagesOfFirst(program)) {
    const Flight flight = flights.lookup(stage.getSymName());
    // Each stage's problem has the micro-batches that this order holds in flight.
    std::vector<StageRemat> &rank = ranks[stage.getRank()];
    rank.emplace_back(context, stage, flight.most);
    rank.back().problem.splitsBackward = flight.splitsBackward;
  }
  int64_t ns = 0;
  for (auto &[index, stages] : ranks) {
    int64_t bytes = peakOfRank(stages);
    for (StageRemat &stage : stages) {
      stage.problem.budgetBytes = bytes;
      ns += known.of(stage.problem);
    }
  }
  return ns;
}

} // namespace

RecomputationBounds plc::plan::boundsOfRecomputation(ProgramOp program, const RouteTable &routes,
                                                     ArrayRef<std::string> keepKinds) {
  RematProblem problem = KeptValues(program, routes, keepKinds).problem;
  RecomputationBounds bounds;
  bounds.keptBytes = problem.boundKeptBytes();
  // Without clones nothing is recomputed, and the cheaper bound is tight.
  bool hasBudget = program.getRemat() && rowOf(*program.getRemat()).obeys(planner::ByteBudget);
  if (hasBudget && program.getRecomputeNs().value_or(0) > 0)
    bounds.ns = boundUnderBudget(program, keepKinds);
  else
    bounds.ns = problem.boundRecomputeNs(program.getKeptBytes().value_or(0));
  return bounds;
}

RecomputationFigures plc::plan::recomputationOf(ProgramOp program, const RouteTable &routes) {
  SymbolTable kernels(program->getParentOfType<ModuleOp>());
  DenseMap<Value, OutputOp> outputs = outputsOf(program, routes);
  Resolver resolve(routes);
  DenseSet<Value> kept;
  RecomputationFigures figures;
  // A clone costs its kernel. A value is saved if B or W reads it from its own stage's F; each counts once.
  auto count = [&](CallOp call) {
    auto task = cast<TaskOp>(call->getParentOp());
    if (call.getRecompute())
      figures.ns += kernels.lookup<KernelOp>(call.getKernelAttr().getAttr()).getNs();
    for (Value operand : call.getArgs()) {
      Value value = resolve(operand);
      auto maker = value.getDefiningOp<CallOp>();
      auto home = maker ? cast<TaskOp>(maker->getParentOp()) : nullptr;
      if (task.getRole() != Role::F && home && home.getRole() == Role::F && !outputs.contains(value) &&
          home->getParentOp() == task->getParentOp() && kept.insert(value).second)
        figures.keptBytes += byteSize(value.getType());
    }
  };
  for (StageOp stage : stagesOfFirst(program))
    stage.walk(count);
  return figures;
}
