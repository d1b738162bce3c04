//===- PlanSolveInstances.cpp - solve planning problems without a model ---===//
#include "ExactAnswer.h"
#include "Programs.h"

#include "plc/Planner/Addresses/Pack.h"
#include "plc/Planner/Remat/RematPolicies.h"
#include "plc/Planner/Remat/BudgetedRemat.h"
#include "plc/Planner/Schedule/Schedules.h"
#include "plc/Planning/Passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

namespace plc::plan {
#define GEN_PASS_DEF_PLANSOLVEINSTANCES
#include "lib/Planning/Passes.h.inc"
} // namespace plc::plan

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using planner::Status;

namespace {

std::string differs(StringRef what, int64_t said, int64_t is) {
  return (what + " is " + Twine(said) + ", not " + Twine(is)).str();
}

Status notExact(const Status &why) { return why ? Status("is said to be exact, but " + *why) : std::nullopt; }

// An instance with an answer is checked: the answer, its bound, and whether it is exact. One without is solved.
Status solve(PackInstanceOp op) {
  planner::PackProblem problem;
  problem.alignment = op.getAlignment();
  planner::Packing answer;
  for (auto block : op.getBody().getOps<BlockOp>()) {
    problem.blocks.push_back({int64_t(block.getBytes()), int64_t(block.getBegin()), int64_t(block.getEnd())});
    answer.offsets.push_back(block.getAt().value_or(0));
  }
  if (Status fault = problem.check())
    return fault;
  if (op.getPacked()) {
    answer.bytes = *op.getPacked();
    if (int64_t bound = problem.bound(); *op.getBound() != bound)
      return differs("bound", *op.getBound(), bound);
    // The cheap checks come first. Only a claim of exactness makes the search run again.
    if (Status fault = problem.verify(answer); fault || !op.getExact())
      return fault;
    return notExact(proveExact(answer.bytes, *op.getBound(), "a packing ends at", [&](BestAnswer &best) {
      planner::Packing packing;
      Status fault = planner::packMinimal(problem, packing);
      best = {packing.bytes, packing.exact};
      return fault;
    }));
  }
  if (Status fault = planner::packMinimal(problem, answer))
    return fault;
  for (auto [block, offset] : llvm::zip(op.getBody().getOps<BlockOp>(), answer.offsets))
    block.setAt(offset);
  op.setPacked(answer.bytes);
  op.setBound(problem.bound());
  op.setExact(answer.exact);
  return std::nullopt;
}

// The problem of the policies that decide by segments.
planner::RematProblem problemOf(RematInstanceOp op) {
  planner::RematProblem problem;
  for (auto value : op.getBody().getOps<ValueOp>())
    problem.values.push_back({int64_t(value.getBytes()), -1, value.getPinned()});
  for (auto call : op.getBody().getOps<ComputeOp>()) {
    for (int64_t value : call.getMakes())
      // Wrong numbers are skipped here, because `check` reports them with the call's name.
      if (value >= 0 && value < int64_t(problem.values.size()) && problem.values[value].maker < 0)
        problem.values[value].maker = problem.calls.size();
    problem.calls.push_back({int64_t(call.getLayer().value_or(-1)), !call.getOnce(), -1, call.getReads().vec(),
                             call.getMakes().vec(), int64_t(call.getNs()), int64_t(call.getStage())});
  }
  for (auto call : op.getBody().getOps<BackwardOp>())
    problem.backward.push_back({planner::TaskKind(call.getRole()), call.getReads().vec(), int64_t(call.getStage())});
  problem.limitBytes = op.getLimit().value_or(0);
  return problem;
}

// Between lists of indices, as the IR has them, and flags for each item.
Status mark(ArrayRef<int64_t> numbers, StringRef what, std::vector<bool> &marks) {
  for (int64_t number : numbers) {
    if (number < 0 || number >= int64_t(marks.size()))
      return ("names " + what + " " + Twine(number) + " of " + Twine(marks.size())).str();
    marks[number] = true;
  }
  return std::nullopt;
}

std::vector<int64_t> marked(const std::vector<bool> &marks) {
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < marks.size(); ++i)
    if (marks[i])
      numbers.push_back(i);
  return numbers;
}

// Refuses numbers that the policy ignores, because they would seem to mean something. Requires those that it obeys,
// most of which have no default.
Status checkNumbers(RematInstanceOp op, const planner::RematPolicyRow &policy) {
  struct Number {
    StringRef name;
    planner::RematField field;
    bool given, needed = true;
  } numbers[] = {{"interval", planner::Interval, op.getInterval().has_value()},
                 {"layers", planner::Layers, op.getLayers().has_value()},
                 {"fraction", planner::MemoryFraction, op.getFraction().has_value()},
                 {"persistent", planner::ByteBudget, op.getPersistentBytes().has_value()},
                 {"in_flight", planner::ByteBudget, op.getInFlight().has_value()},
                 {"splits", planner::ByteBudget, op.getSplits(), /*needed=*/false},
                 {"again_from", planner::ByteBudget, op.getAgainFrom().has_value(), /*needed=*/false}};
  for (const Number &number : numbers) {
    std::string its = "'" +
                      llvm::join(namesOfChoice<planner::RematPolicy>(
                                     [&](const planner::RematPolicyRow &row) { return row.obeys(number.field); }),
                                 "' or '") +
                      "'";
    if (number.given && !policy.obeys(number.field))
      return ("has '" + number.name + "', which policy '" + policy.name + "' ignores: it is for " + its).str();
    if (number.needed && !number.given && policy.obeys(number.field))
      return ("has policy '" + Twine(policy.name) + "' but no '" + number.name + "'").str();
  }
  return std::nullopt;
}

// A call of the budget's problem, from a compute or a backward.
template <typename Op>
planner::BudgetedRematProblem::Call rematCall(Op op, planner::TaskKind kind, ArrayRef<int64_t> makes) {
  planner::BudgetedRematProblem::Call call{kind, int64_t(op.getNs()), int64_t(op.getScratch())};
  // Only forward calls have clones.
  call.repeatable = kind == planner::TaskKind::F;
  call.name = op.getLabel().value_or("").str();
  call.args = op.getReads().vec();
  call.results = makes.vec();
  ArrayRef<int64_t> pairs = op.getInPlace().value_or(ArrayRef<int64_t>());
  for (size_t at = 0; at + 1 < pairs.size(); at += 2)
    call.inPlace.emplace_back(pairs[at], pairs[at + 1]);
  return call;
}

planner::BudgetedRematProblem budgetedRematProblemOf(RematInstanceOp op) {
  planner::BudgetedRematProblem problem;
  for (auto value : op.getBody().getOps<ValueOp>())
    problem.bytes.push_back(value.getPinned() ? 0
                                              : int64_t(value.getBytes())); // a pinned value has a persistent buffer
  for (auto call : op.getBody().getOps<ComputeOp>()) {
    problem.calls.push_back(rematCall(call, planner::TaskKind::F, call.getMakes()));
    problem.calls.back().repeatable = !call.getOnce();
  }
  for (auto call : op.getBody().getOps<BackwardOp>())
    problem.calls.push_back(
        rematCall(call, planner::TaskKind(call.getRole()), call.getMakes().value_or(ArrayRef<int64_t>())));
  problem.persistentBytes = op.getPersistentBytes().value_or(0);
  problem.inFlight = op.getInFlight().value_or(1);
  problem.splitsBackward = op.getSplits();
  problem.firstClone = op.getAgainFrom().value_or(0);
  problem.budgetBytes = op.getLimit().value_or(0);
  return problem;
}

// Budgets are answered by the search for plans, so an instance must have an answer, which is checked.
Status checkBudgetedRemat(RematInstanceOp op) {
  planner::BudgetedRematProblem problem = budgetedRematProblemOf(op);
  if (!op.getLimit())
    return std::string("has policy '") + rowOf(op.getPolicy()).name + "' but no 'limit'";
  bool odd = false;
  op.walk([&](Operation *item) {
    llvm::TypeSwitch<Operation *>(item).Case<ComputeOp, BackwardOp>(
        [&](auto call) { odd |= call.getInPlace() && call.getInPlace()->size() % 2; });
  });
  if (odd)
    return "has an operand in 'in_place' without its result";
  if (Status fault = problem.check())
    return fault;
  if (!op.getBefore())
    return "has no answer: a budget's is checked, and found by the search for plans";
  if (op.getBefore()->size() != op.getCloned()->size())
    return differs("number of places", op.getBefore()->size(), op.getCloned()->size());
  planner::BudgetedRemat answer;
  for (auto [call, before] : llvm::zip(*op.getCloned(), *op.getBefore()))
    answer.clones.push_back({call, before});
  if (Status fault = problem.verify(answer))
    return fault;
  if (int64_t bytes = problem.peakOf(answer).bytes; int64_t(*op.getBytes()) != bytes)
    return differs("bytes", *op.getBytes(), bytes);
  if (int64_t ns = problem.addedNs(answer); int64_t(*op.getNs()) != ns)
    return differs("ns", *op.getNs(), ns);
  // A stated bound must be the one that the planner proves: neither weaker nor stronger.
  int64_t bound = planner::budgetedRematBound(problem).value_or(0);
  return int64_t(*op.getBound()) != bound ? Status(differs("bound", *op.getBound(), bound)) : std::nullopt;
}

// Solves or checks by the policy's row: budgets have their own problem.
Status solve(RematInstanceOp op) {
  if (Status fault = checkNumbers(op, rowOf(op.getPolicy())))
    return fault;
  if (rowOf(op.getPolicy()).obeys(planner::ByteBudget))
    return checkBudgetedRemat(op);
  planner::RematProblem problem = problemOf(op);
  planner::RematMode mode{op.getPolicy(),
                          int64_t(op.getInterval().value_or(1)),
                          op.getLayers().value_or(ArrayRef<int64_t>()).vec(),
                          op.getFraction() ? op.getFraction()->convertToDouble() : 1,
                          int64_t(op.getMinInterval().value_or(1)),
                          op.getEquations() ? planner::Grain::equation : planner::Grain::layer};
  // The policy fixes segments; both solving and checking start from them.
  if (Status fault = planner::chooseSegments(mode, problem))
    return fault;
  if (op.getKept()) {
    planner::Remat answer{std::vector<bool>(problem.values.size()), std::vector<bool>(problem.calls.size())};
    if (Status fault = mark(*op.getKept(), "value", answer.kept))
      return fault;
    if (Status fault = mark(*op.getCloned(), "call", answer.cloned))
      return fault;
    if (int64_t bytes = problem.keptBytes(answer); int64_t(*op.getBytes()) != bytes)
      return differs("bytes", *op.getBytes(), bytes);
    if (int64_t ns = problem.recomputeNs(answer); int64_t(*op.getNs()) != ns)
      return differs("ns", *op.getNs(), ns);
    if (int64_t bound = problem.boundRecomputeNs(*op.getBytes()); int64_t(*op.getBound()) != bound)
      return differs("bound", *op.getBound(), bound);
    return problem.verify(answer);
  }
  planner::Remat answer = planner::recompute(problem);
  if (Status fault = problem.verify(answer))
    return fault;
  int64_t bytes = problem.keptBytes(answer);
  op.setKept(marked(answer.kept));
  op.setCloned(marked(answer.cloned));
  op.setBytes(bytes);
  op.setNs(problem.recomputeNs(answer));
  op.setBound(problem.boundRecomputeNs(bytes));
  return std::nullopt;
}

// Reads STAGE, task and micro-batch, as in `3B0`. The verifier of the operation has checked the form.
planner::ScheduledTask readJob(StringRef text) {
  planner::ScheduledTask job;
  text.consumeInteger(10, job.stage);
  job.kind = planner::TaskKind(StringRef("FBW").find(text.front()));
  text.drop_front().getAsInteger(10, job.microBatch);
  return job;
}

void writeOrders(ScheduleInstanceOp op, const planner::Schedule &answer) {
  OpBuilder builder = OpBuilder::atBlockEnd(&op.getBody().front());
  for (const std::vector<planner::ScheduledTask> &rank : answer.ranks) {
    SmallVector<std::string> jobs;
    for (const planner::ScheduledTask &job : rank)
      jobs.push_back(std::to_string(job.stage) + "FBW"[int(job.kind)] + std::to_string(job.microBatch));
    SmallVector<StringRef> texts(jobs.begin(), jobs.end());
    OrderOp::create(builder, op.getLoc(), builder.getStrArrayAttr(texts));
  }
}

// Solves by the schedule that is named, or checks the orders that stand there.
Status solve(ScheduleInstanceOp op) {
  planner::ScheduleProblem problem;
  problem.microBatches = op.getMicroBatches();
  problem.samples = op.getSamples().value_or(ArrayRef<int64_t>()).vec();
  for (auto stage : op.getBody().getOps<TimesOp>()) {
    auto &item = problem.stages.emplace_back();
    item.rank = stage.getRank();
    for (auto [kind, ns] : llvm::enumerate(std::array{stage.getF(), stage.getB(), stage.getW()})) {
      item.has[kind] = ns.has_value();
      item.ns[kind] = ns.value_or(0);
    }
  }
  for (auto item : op.getBody().getOps<DependenceOp>())
    problem.dependences.push_back({int64_t(item.getSource()), planner::TaskKind(item.getFrom()),
                                   int64_t(item.getDestination()), planner::TaskKind(item.getTo()),
                                   int64_t(item.getNs())});
  // Before the orders are read: they index its stages.
  if (Status fault = problem.check())
    return fault;
  planner::Schedule answer;
  bool given = op.getMakespan().has_value();
  if (given)
    for (auto order : op.getBody().getOps<OrderOp>())
      for (auto &jobs = answer.ranks.emplace_back(); StringRef job : order.getJobs().getAsValueRange<StringAttr>())
        jobs.push_back(readJob(job));
  else if (Status fault = planner::solve(rowOf(*op.getSchedule()), problem, answer))
    return fault;
  planner::Simulation simulation;
  if (Status fault = problem.verify(answer))
    return fault;
  if (Status fault = planner::simulate(problem, answer, simulation))
    return fault;
  if (given && int64_t(*op.getMakespan()) != simulation.makespan)
    return differs("makespan", *op.getMakespan(), simulation.makespan);
  if (given && int64_t(*op.getBound()) != problem.bound())
    return differs("bound", *op.getBound(), problem.bound());
  if (given)
    return std::nullopt;
  writeOrders(op, answer);
  op.setMakespan(simulation.makespan);
  op.setBound(problem.bound());
  return std::nullopt;
}

// Every instance is tried, so that one run reports all that is wrong.
struct PlanSolveInstancesPass : plc::plan::impl::PlanSolveInstancesBase<PlanSolveInstancesPass> {
  void runOnOperation() override {
    bool any = false;
    getOperation().walk([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op).Case<PackInstanceOp, RematInstanceOp, ScheduleInstanceOp>([&](auto instance) {
        any = true;
        if (Status fault = solve(instance)) {
          emitReason(instance, *fault);
          signalPassFailure();
        }
      });
    });
    if (any)
      return;
    getOperation().emitError("module has no problem: no 'plan.pack_instance', 'plan.remat_instance' or "
                             "'plan.schedule_instance'");
    signalPassFailure();
  }
};

} // namespace
