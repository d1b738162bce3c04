//===- Automatic.cpp - plans that are searched for ------------------------===//
#include "Automatic.h"

#include "Workloads.h"

#include "plc/Dialect/Ein/Ein.h"
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Driver/MachineModel.h"
#include "plc/Language/Errors/PassErrors.h"
#include "plc/Planner/Base/Format.h"
#include "plc/Planning/Report/Summary.h"
#include "plc/Planning/Table/BuildActionTable.h"
#include "plc/Strategy/Choices.h"
#include "plc/Support/Errors.h"
#include "plc/Support/ExitCodes.h"

#include <algorithm>
#include <numeric>
#include <thread>

using namespace mlir;
using namespace plc::driver;
using namespace plc::planner;
using plc::PhaseKind;
using plc::strategy::ParallelismKind;
using plc::strategy::Strategy;
namespace keys = plc::keys;
namespace search = plc::search;

namespace {

// Turns a strategy into workloads, a machine and limits, searches, and writes the plan back as keys. The search knows
// live bytes only, so this class also measures arenas and lowers the limits until the arenas fit.
class Chooser {
public:
  Chooser(const Models &models, PhaseKind done, const Program &program, llvm::SourceMgr &sources, Strategy &strategy,
          AutomaticPlan &plan, llvm::raw_ostream &errors, bool isNarrow)
      : models(models), done(done), program(program), sources(sources), strategy(strategy), plan(plan), errors(errors),
        isNarrow(isNarrow), isJoint(strategy.get(keys::parallelismKind) == ParallelismKind::automatic) {}

  int run() {
    if (isPlainEnough())
      return plc::Done;
    setMachine();
    workloads.emplace(models, done, program, sources, strategy, plan.mostRanks);
    if (int failed = workloads->make(machine, errors))
      return failed;
    setLimits();
    if (!search::hasStarts(workloads->all(), machine, limits))
      return isJoint ? reportExcluded() : plc::Done; // the passes report why
    return findPlan();
  }

private:
  // Evaluated actions of a search, of one that goes on from known plans, and of one of the many comparisons. They trade
  // compile time for shorter steps: with them the plan of gpt.ein on 4 ranks took 1.2 s. Not tuned against each other.
  static constexpr int64_t effort = 15'000'000, effortAgain = 3'000'000, effortNarrow = 1'000'000;

  template <typename T>
  bool isFree(plc::strategy::TypedKey<T> key) const {
    return isFree(StringRef(key.path));
  }
  bool isFree(StringRef key) const { return isJoint && (key == freed || !strategy.isOwn(key)); }
  bool hasBudget() const { return program.recomputes && strategy.isGiven(keys::memoryBudget); }
  bool isTraining() const { return program.entry == plc::ProgramKind::train; }
  plc::ein::ModelOp model() const {
    ModuleOp module = models.ofBatch;
    return *module.getOps<plc::ein::ModelOp>().begin();
  }

  /// Whether the plan without a search keeps the budget. Then it stays, so that a budget that binds nothing changes
  /// nothing.
  bool isPlainEnough() const {
    if (isJoint || followsTimes(strategy) || !hasBudget())
      return false;
    Program measured = program;
    measured.measures = true;
    Lowering lowering(models, strategy, sources, nullptr, llvm::nulls(), done);
    OwningOpRef<ModuleOp> planned = lowering.lower(measured, "");
    if (!planned)
      return true; // the passes report what is wrong
    int64_t budget = strategy.get(keys::memoryBudget);
    return llvm::all_of(plc::plan::arenasOf(*planned), [&](int64_t bytes) { return bytes <= budget; });
  }

  void setMachine() {
    plan.mostRanks =
        isJoint ? strategy.get(keys::machineRanks) : ranksOf(strategy) * strategy.get(keys::parallelismReplicas);
    // Without a number of ranks the machine's cores are the limit, each rank with its threads.
    if (!plan.mostRanks) {
      int64_t cores = std::max(1u, std::thread::hardware_concurrency());
      plan.mostRanks = std::max<int64_t>(1, cores / threadsOf(strategy));
    }
    machine.ranks = plan.mostRanks;
    machine.cluster = clusterOf(strategy, size_t(machine.ranks));
    machine.rates = strategy.rates();
    machine.threads = rankThreads(strategy);
    if (hasBudget())
      machine.limitBytes.assign(size_t(machine.ranks), strategy.get(keys::memoryBudget));
  }

  // Replicas divide the accumulation groups, whose number is in the numerics key and stays.
  std::vector<int64_t> replicaCounts() const {
    if (!isFree(keys::parallelismReplicas))
      return {strategy.get(keys::parallelismReplicas)};
    int64_t groups = strategy.get(keys::gradientLanes);
    std::vector<int64_t> counts;
    for (int64_t replicas = 1; replicas <= std::min(groups, plan.mostRanks); ++replicas)
      if (groups % replicas == 0)
        counts.push_back(replicas);
    return counts;
  }

  std::vector<int64_t> rankCounts() const {
    if (!isJoint)
      return {ranksOf(strategy)};
    int64_t most = isSmall() ? 1 : plan.mostRanks;
    std::vector<int64_t> counts;
    // All counts up to 8, then doubled: a large machine has too many to try each. Not tuned.
    for (int64_t ranks = 1; ranks <= most; ranks += ranks < 8 ? 1 : ranks)
      counts.push_back(ranks);
    if (counts.back() < most)
      counts.push_back(most);
    return counts;
  }

  // Whether a run without gradients is too short for several ranks: they sleep before each request, and wait for
  // messages in it. Each rank needs 10 ms of work. Measured with BERTs of 1.2, 6.8 and 70 ms on one rank, on two cores
  // with other work: two ranks take 1.9, 2.0 and 1.2 times as long at their fastest, and one rank with two workers
  // 0.97, 0.82 and 0.66 times.
  bool isSmall() const {
    constexpr int64_t leastShareNs = 10'000'000;
    bool isOpen = isFree(keys::parallelismStages) && isFree(keys::parallelismReplicas);
    return !isTraining() && isOpen && workloads->all().front().workNs() < leastShareNs * plan.mostRanks;
  }

  void setLimits() {
    // A key that the strategy sets becomes a limit; all other keys are free.
    limits = {};
    limits.rankCounts = rankCounts();
    limits.replicaCounts = replicaCounts();
    if (!isFree(keys::parallelismStages))
      limits.stages = strategy.get(keys::parallelismStages);
    if (!isFree(keys::parallelismChunks))
      limits.chunks = strategy.get(keys::parallelismChunks);
    if (!isJoint || (!isFree(keys::parallelismPlace) && strategy.isGiven(keys::parallelismPlace)))
      limits.rankOf = workloads->givenMap();
    limits.stageOf = workloads->givenCut();
    auto schedule = strategy.get(keys::parallelismSchedule);
    if (!isFree(keys::parallelismSchedule) && plc::rowOf(schedule).follows != OrderSource::times)
      limits.schedule = schedule;
    if (plc::rowOf(schedule).follows == OrderSource::text)
      limits.file = scheduleFileOf(strategy);
    limits.mayRecompute = workloads->mayRecompute();
    limits.recompute = workloads->recomputedByPolicy();
    if (isNarrow)
      // No moves: a narrow search compares starts.
      limits.without = {"border", "stage", "tasks", "relist", "split", "recompute"};
  }

  /// The strategy with a plan written into it, and the program that it is of.
  Strategy strategyOf(const search::PlanSpec &spec) const {
    const Workloads::Way &way = workloads->wayOf(size_t(spec.workload));
    Strategy chosen = workloads->strategyOf(way);
    const std::optional<search::Sharing> &sharing = workloads->all()[size_t(spec.workload)].sharing;
    const std::vector<int32_t> &rankOf = sharing ? sharing->groupOf : spec.rankOf;
    // The kind follows from the plan, so that the written strategy is complete and valid by itself.
    bool isDivided = rankOf.size() > 1;
    ParallelismKind kind = isDivided           ? ParallelismKind::pipeline
                           : sharing           ? ParallelismKind::model
                           : spec.replicas > 1 ? ParallelismKind::data
                                               : ParallelismKind::none;
    if (isJoint) {
      chosen.choose(keys::parallelismKind, kind);
      if (spec.replicas != strategy.get(keys::parallelismReplicas))
        chosen.choose(keys::parallelismReplicas, spec.replicas);
      if (!strategy.shards().empty() && kind != ParallelismKind::none)
        chosen.choose(keys::parallelismShardRanks, sharing ? sharing->shards : 1);
      chosen.choose(keys::parallelismStages, int64_t(rankOf.size()));
      chosen.choose(keys::parallelismPlace,
                    isDivided ? std::vector<int64_t>(rankOf.begin(), rankOf.end()) : std::vector<int64_t>());
      if (isDivided || sharing)
        chosen.choose(keys::parallelismSchedule, limits.schedule.value_or(ScheduleKind::automatic));
    }
    ModuleOp module = way.module.get();
    chosen.choose(keys::parallelismPlan, plc::plan::specText(module, workloads->all()[size_t(spec.workload)], spec));
    return chosen;
  }

  void take(const search::Found &found, const search::SearchReport &report) {
    plan.rows.clear();
    for (const search::Found &start : report.starts)
      // Two ways of one frame, such as with and without precomputed values, are one row.
      if (AutomaticPlan::Row row = rowOf(start);
          llvm::none_of(plan.rows, [&](const auto &other) { return other.isLike(row); }))
        plan.rows.push_back(std::move(row));
    plan.chosen = rowOf(found);
    plan.schedule = plc::nameOfChoice(limits.schedule.value_or(ScheduleKind::automatic));
    plan.evaluations += report.evaluations;
    plan.isAborted = report.isAborted;
    unlimitedNs = std::max(unlimitedNs, report.unlimitedNs);
    plan.boundNs = search::lowerBound(workloads->all(), machine);
    setParts(found);
    chosen = strategyOf(found.plan);
  }

  AutomaticPlan::Row rowOf(const search::Found &found) const {
    AutomaticPlan::Row row;
    row.microBatches = workloads->wayOf(size_t(found.plan.workload)).microBatches;
    row.replicas = found.plan.replicas;
    row.ranks = found.plan.ranks();
    row.stages = found.plan.stages();
    const std::optional<search::Sharing> &sharing = workloads->all()[size_t(found.plan.workload)].sharing;
    if (sharing) {
      row.shards = sharing->shards;
      row.stages = int64_t(sharing->groupOf.size());
    }
    row.recomputes = found.plan.recomputes();
    row.stepNs = found.result.stepNs;
    row.overBytes = found.result.overBytes;
    if (row.shards == 1 && row.stages > row.ranks)
      row.rankOf = found.plan.rankOf;
    return row;
  }

  /// Lowers the chosen plan, and takes its step from the planned program. Returns the arena of each rank; none if
  /// lowering fails, which the final lowering reports.
  std::vector<int64_t> measure(const search::Found &found) {
    Program measured = program;
    measured.measures = true;
    Lowering lowering(models, *chosen, sources, nullptr, llvm::nulls(), done);
    ModuleOp module = workloads->wayOf(size_t(found.plan.workload)).module.get();
    OwningOpRef<ModuleOp> planned = lowering.plan(module.clone(), measured, "");
    if (!planned)
      return {};
    plan.chosen->stepNs = playedNs(strategy, *planned->getOps<plc::plan::ProgramOp>().begin());
    return plc::plan::arenasOf(*planned);
  }

  /// Searches until the arenas fit. Live bytes bound an arena from below. Where gaps take one beyond the budget, its
  /// rank gets a lower limit, and the search goes on from its last plans. If these lead nowhere, it begins again.
  int findPlan() {
    // Each round lowers and packs a whole plan, so their number bounds compile time. Not tuned.
    constexpr int rounds = 8;
    std::vector<search::PlanSpec> known;
    for (int round = 0; round < rounds; ++round) {
      search::SearchReport report;
      limits.effort = isNarrow ? effortNarrow : known.empty() ? effort : effortAgain;
      std::optional<search::Found> found = search::search(workloads->all(), machine, limits, report, known);
      if (found) {
        take(*found, report);
        // The search only estimates the step of replicas and shared stages, and knows the gaps of no plan. Only for
        // other plans is its answer final.
        bool isExact =
            found->plan.replicas == 1 && !workloads->all()[size_t(found->plan.workload)].sharing && !hasBudget();
        if (isNarrow || isExact || !lowerLimits(*found, measure(*found), round))
          break;
        known = std::move(report.finalists);
      } else if (!known.empty()) {
        known.clear();
      } else if (round) {
        break; // `plan-addresses` reports the shortfall of the last plan
      } else if (report.nearest) {
        return reportShortfall(*report.nearest);
      } else {
        return isJoint ? reportExcluded() : plc::Done; // no order ends; the passes report why
      }
    }
    if (chosen)
      strategy = std::move(*chosen);
    return plc::Done;
  }

  // Lowers the limits of ranks whose arenas exceed the budget; false if all fit. Gaps differ between plans, so later
  // rounds leave more room for them: once the excess, then twice, and so on.
  bool lowerLimits(const search::Found &found, const std::vector<int64_t> &arenas, int64_t round) {
    int64_t budget = strategy.get(keys::memoryBudget);
    bool isLower = false;
    for (size_t rank = 0; rank < arenas.size() && hasBudget(); ++rank) {
      size_t position = rank % found.result.bytes.size();
      if (int64_t over = arenas[rank] - budget; over > 0) {
        machine.limitBytes[position] =
            std::min(machine.limitBytes[position], found.result.bytes[position] - over * (1 + round / 2));
        isLower = true;
      }
    }
    return isLower;
  }

  // Divides the step into fractions for the report, and names what binds it. All ranks count alike, so these are means,
  // except for the slowest rank's excess.
  void setParts(const search::Found &found) {
    const search::Workload &workload = workloads->all()[size_t(found.plan.workload)];
    search::StageTasks tasks = search::tasksOf(workload, found.plan, machine.ranks);
    double runs = double(workload.microBatches / found.plan.replicas), all = 0, ranks = double(found.plan.ranks());
    double speed = machine.speedOf(found.plan.ranks() * found.plan.replicas);
    for (const search::Call &call : workload.calls)
      all += double(call.ns) * runs;
    std::vector<double> load(size_t(found.plan.ranks()), 0.0);
    for (size_t stage = 0; stage < tasks.stages.size(); ++stage)
      for (const search::StageTasks::Work &work : tasks.stages[stage])
        load[size_t(found.plan.rankOf[stage])] += double(work.ns) * runs;
    double total = std::accumulate(load.begin(), load.end(), 0.0),
           slowest = *std::max_element(load.begin(), load.end());
    double step = double(std::max<int64_t>(found.result.stepNs, 1)) * speed, update = 0;
    // Ranks that help each other share an update; else the slowest one counts.
    bool helps = machine.cluster.sharesKernels && tasks.isDivided();
    for (size_t rank = 0; rank < load.size(); ++rank) {
      auto ns = double(machine.update(double(tasks.updatedBytes[rank])).ns);
      update = helps ? update + ns / ranks : std::max(update, ns);
    }
    plan.work = 100 * all / ranks / step;
    plan.again = 100 * (total - all) / ranks / step;
    plan.uneven = 100 * (slowest - total / ranks) / step;
    plan.updates = 100 * update / step;
    double rest = std::max(0.0, 100 - plan.work - plan.again - plan.updates);
    plan.uneven = std::min(plan.uneven, rest); // where ranks help each other, less of it is left
    plan.waiting = rest - plan.uneven;
    // A fraction below this many percent of the step is not worth naming. A convention, as in `worthwhilePercent`.
    constexpr double worthwhile = 5;
    double worst = std::max({plan.again, plan.uneven, plan.waiting, plan.updates});
    if (found.plan.recomputes() || (unlimitedNs && unlimitedNs < found.result.stepNs))
      plan.binds = keys::memoryBudget.path;
    else if (worst > worthwhile)
      plan.binds = plan.uneven == worst ? "layers" : plan.updates == worst ? "batch" : "micro-batches";
    else
      plan.binds = found.plan.ranks() * found.plan.replicas == plan.mostRanks ? "ranks" : "work";
  }

  // Reports the rank with the largest excess of the plan with the smallest shortfall: what a user must free at least.
  int reportShortfall(const search::Found &nearest) {
    size_t worst = 0;
    auto over = [&](size_t rank) { return nearest.result.bytes[rank] - machine.limitBytes[rank]; };
    for (size_t rank = 0; rank < nearest.result.bytes.size(); ++rank)
      worst = over(rank) > over(worst) ? rank : worst;
    int64_t needed = nearest.result.bytes[worst], limit = machine.limitBytes[worst];
    plan.leastBytes = needed;
    const search::Workload &workload = workloads->all()[size_t(nearest.plan.workload)];
    int64_t persistent = search::tasksOf(workload, nearest.plan, machine.ranks).persistentBytes[worst];
    bool isPersistent = persistent > limit;
    plc::language::PassErrors reported(sources, *model().getContext(), errors, strategy.locations(),
                                       hintOf(program, strategy));
    InFlightDiagnostic error = plc::withKey(plc::emitNoPlan(model()), keys::memoryBudget.path);
    error << "rank " << worst << " needs " << formatBytes(needed) << ", limit " << formatBytes(limit)
          << ", largest part " << (2 * persistent > needed ? "persistent buffers " : "values ")
          << formatBytes(std::max(persistent, needed - persistent)) << ": " << needed - limit << " bytes are missing";
    plc::withLack(std::move(error), isPersistent ? plc::Lack::buffers : plc::Lack::any);
    return plc::NoPlan;
  }

  /// Names the key that leaves no plan, or those that do together.
  int reportExcluded() {
    std::vector<const char *> given;
    for (const char *key : {keys::parallelismStages.path, keys::parallelismChunks.path, keys::parallelismReplicas.path,
                            keys::parallelismSchedule.path}) {
      if (isFree(StringRef(key)))
        continue;
      // Would there be a plan if this key were free? The first such key is the one to name.
      freed = key;
      setLimits();
      bool leavesSome = search::hasStarts(workloads->all(), machine, limits);
      freed.clear();
      if (leavesSome) {
        given = {key};
        break;
      }
      given.push_back(key);
    }
    std::string values;
    for (StringRef key : given)
      values += (values.empty() ? "'" : ", '") + key.str() + "' is " +
                (key.ends_with("schedule") ? std::get<std::string>(strategy.valueAt(key))
                                           : plc::strategy::print(strategy.valueAt(key)));
    plc::language::PassErrors reported(sources, *model().getContext(), errors, strategy.locations());
    plc::withKey(plc::emitNoPlan(model()), given.front())
        << values << " but model '" << model().getSymName() << "' has " << workloads->all().front().units.size()
        << " layer calls to cut, for at most " << plan.mostRanks
        << " ranks with as many stages on each; a key that is left out is chosen";
    return plc::NoPlan;
  }

  const Models models;
  const PhaseKind done;
  Program program;
  llvm::SourceMgr &sources;
  Strategy &strategy;
  AutomaticPlan &plan;
  llvm::raw_ostream &errors;
  const bool isNarrow, isJoint;
  search::Machine machine;
  search::Limits limits;
  std::optional<Workloads> workloads;
  std::string freed;              // a key that counts as free
  int64_t unlimitedNs = 0;        // step of the plan that the budget excludes; 0: none
  std::optional<Strategy> chosen; // with the last plan that was taken
};

} // namespace

bool plc::driver::isSearched(const Program &program, const Strategy &strategy) {
  if (!program.leads || strategy.isGiven(keys::parallelismPlan))
    return false;
  if (strategy.get(keys::parallelismKind) == ParallelismKind::automatic)
    return true;
  return (program.entry == plc::ProgramKind::train && followsTimes(strategy)) ||
         (strategy.isGiven(keys::memoryBudget) && program.recomputes);
}

int plc::driver::planAutomatically(const Models &models, PhaseKind done, const Program &program,
                                   llvm::SourceMgr &sources, Strategy &strategy, AutomaticPlan &plan,
                                   llvm::raw_ostream &errors, bool isNarrow) {
  return Chooser(models, done, program, sources, strategy, plan, errors, isNarrow).run();
}
