//===- Starts.cpp - plans of known families -------------------------------===//
#include "Searcher.h"

#include <algorithm>

using namespace plc::search;

namespace {

std::vector<int32_t> mapOf(int64_t stages, auto rankOf) {
  std::vector<int32_t> map;
  for (int64_t stage = 0; stage < stages; ++stage)
    map.push_back(int32_t(rankOf(stage)));
  return map;
}

} // namespace

// Stages on ranks 0, 1, 2:  plain 012 · extra 0120 · loop 012012 · vee 012210
std::vector<std::vector<int32_t>> Searcher::rankMaps(int64_t ranks) const {
  if (!limits.rankOf.empty())
    return {limits.rankOf};
  std::vector<std::vector<int32_t>> maps;
  auto add = [&](const char *name, int64_t stages, auto rankOf) {
    bool fits = (!limits.stages || stages == limits.stages) && (!limits.chunks || stages == limits.chunks * ranks);
    if (fits && isOn(name))
      maps.push_back(mapOf(stages, rankOf));
  };
  if (ranks == 1) { // all stages that are asked for
    add("plain", std::max<int64_t>({1, limits.stages, limits.chunks}), [](int64_t) { return 0; });
    return maps;
  }
  planner::Placement placement = limits.schedule ? rowOf(*limits.schedule).placement : planner::Placement::any;
  int64_t leastChunks = limits.schedule ? rowOf(*limits.schedule).chunks : 1;
  auto mostChunks = std::max<int64_t>({limits.chunks, limits.stages / ranks, 4});
  if (leastChunks <= 1)
    add("plain", ranks, [&](int64_t stage) { return stage; });
  if (placement == planner::Placement::any)
    add("extra", ranks + 1, [&](int64_t stage) { return stage % ranks; });
  for (int64_t chunks = 2; chunks <= mostChunks; ++chunks) {
    if (placement != planner::Placement::vee)
      add("loop", chunks * ranks, [&](int64_t stage) { return stage % ranks; });
    // A schedule that places stages in a V has as many on each rank as it says.
    if (placement == planner::Placement::any || (placement == planner::Placement::vee && chunks == leastChunks))
      add("vee", chunks * ranks,
          [&](int64_t stage) { return stage / ranks % 2 ? ranks - 1 - stage % ranks : stage % ranks; });
  }
  return maps;
}

void Searcher::forEachStart(const VisitStart &visit) const {
  auto visitIf = [&](size_t index, int64_t replicas, const std::vector<int32_t> &map, size_t units) {
    const Workload &workload = workloads[index];
    int64_t ranks = *std::max_element(map.begin(), map.end()) + 1;
    bool divides = workload.lanes % replicas == 0 && workload.microBatches % replicas == 0;
    if (divides && ranks * replicas <= machine.ranks && map.size() <= units)
      visit(int32_t(index), replicas, map);
  };
  for (int64_t replicas : limits.replicaCounts)
    for (size_t index = 0; index < workloads.size(); ++index)
      if (const std::optional<Sharing> &sharing = workloads[index].sharing)
        visitIf(index, replicas, sharing->rankOf, workloads[index].units.size());
  for (int64_t replicas : limits.replicaCounts)
    for (int64_t ranks : limits.rankCounts)
      for (const std::vector<int32_t> &map : rankMaps(ranks))
        for (size_t index = 0; index < workloads.size(); ++index) {
          const Workload &workload = workloads[index];
          // Without a backward pass more stages than ranks only add messages.
          bool pays = workload.hasBackward || map.size() <= size_t(ranks) || limits.stages || !limits.rankOf.empty();
          if (!workload.sharing && pays)
            visitIf(index, replicas, map, workload.units.size());
        }
}

bool Searcher::hasStarts() const {
  bool has = false;
  forEachStart([&](int32_t, int64_t, const std::vector<int32_t> &) { has = true; });
  return has;
}

std::vector<Candidate> Searcher::makeStarts(const std::vector<PlanSpec> &known) {
  std::vector<Candidate> starts;
  auto addKnown = [&](const PlanSpec &plan) {
    Candidate each;
    each.plan = plan;
    each.price.assign(size_t(plan.ranks()), 0.0);
    if (assess(each))
      starts.push_back(std::move(each));
  };
  for (const PlanSpec &plan : known)
    addKnown(plan);
  std::vector<Candidate> bases;
  forEachStart([&](int32_t index, int64_t replicas, const std::vector<int32_t> &rankOf) {
    if (isOver())
      return;
    const Workload &workload = workloads[size_t(index)];
    Candidate base;
    base.plan.workload = index;
    base.plan.replicas = replicas;
    base.plan.rankOf = rankOf;
    base.plan.stageOf = workload.sharing         ? workload.sharing->stageOf
                        : limits.stageOf.empty() ? cutUnits(workload, machine, rankOf, replicas)
                                                 : limits.stageOf;
    base.plan.recompute = limits.recompute.empty() ? std::vector<Recompute>(workload.calls.size(), Recompute::no)
                                                   : limits.recompute[size_t(index)];
    base.price.assign(size_t(base.plan.ranks()), 0.0);
    bases.push_back(base);
    startFrom(base, /*splits=*/limits.maySplit && base.plan.ranks() > 1, starts);
  });
  // A full backward saves fewer bytes, which count where the limits bind.
  for (const Candidate &base : bases)
    if (isBound && limits.maySplit && base.plan.ranks() > 1 && isOn("full"))
      startFrom(base, /*splits=*/false, starts);
  if (isBound && limits.mayRecompute && isOn("recompute"))
    repairStarts(starts);
  return starts;
}

void Searcher::startFrom(const Candidate &base, bool splits, std::vector<Candidate> &starts) {
  const Workload &workload = workloadOf(base);
  Candidate each = base;
  each.plan.fullBackward.assign(workload.units.size(), !splits);
  each.tasks = std::make_shared<StageTasks>(tasksOf(workload, each.plan, machine.ranks));
  addOrders(each, splits, starts);
}

// So that no plan is worse than the one of a named schedule on the same stages.
void Searcher::addFamilies(const Candidate &base, std::vector<Candidate> &starts) {
  if (base.plan.ranks() == 1 || !isOn("families") || !workloadOf(base).hasBackward)
    return;
  auto families = plc::Choice<planner::ScheduleKind>::rows();
  for (size_t kind = 0; kind < families.size(); ++kind) {
    Candidate each = base;
    if (families[kind].follows != planner::OrderSource::shape ||
        orderByFamily(*each.tasks, workloadOf(each), planner::ScheduleKind(kind), nullptr, each.plan))
      continue;
    completeOrder(*each.tasks, each.plan);
    if (assess(each))
      starts.push_back(std::move(each));
  }
}

void Searcher::addOrders(const Candidate &base, bool splits, std::vector<Candidate> &starts) {
  if (!mayOrder) {
    Candidate each = base;
    if (orderAnew(each) && assess(each))
      starts.push_back(std::move(each));
    return;
  }
  addFamilies(base, starts);
  int64_t runs = runsOf(base.plan);
  // Beyond these the ends of the pipeline are a hundredth of the step.
  constexpr int64_t mostRunsOfRank = 16;
  if (runs > mostRunsOfRank * base.plan.ranks() && workloads.size() > 1)
    return;
  std::vector<Pattern> patterns = patternsOf(runs, base.plan.ranks(), base.plan.stages(), splits);
  if (base.plan.ranks() == 1 || !workloadOf(base).hasBackward)
    patterns.resize(1); // all orders are one
  for (const Pattern &pattern : patterns) {
    if (!isOn(pattern.name) || isOver())
      continue;
    Candidate each = base;
    orderByPattern(*each.tasks, pattern, runs, each.plan);
    // What is half as long again is no start, unless it takes fewer bytes.
    if (!assess(each, isBound || !best ? std::numeric_limits<double>::infinity() : best->cost * 1.5))
      continue;
    Candidate listed = each;
    starts.push_back(std::move(each));
    if (isOn("relist") && relist(listed, 0, /*byTail=*/true) && assess(listed))
      starts.push_back(std::move(listed));
  }
}

// Of those that are over the limits, the first few of each rank map; and again with a cut that counts what runs again.
void Searcher::repairStarts(std::vector<Candidate> &starts) {
  constexpr int mostOfMap = 6, steps = 14;
  std::sort(starts.begin(), starts.end(), [](const Candidate &a, const Candidate &b) { return a.cost < b.cost; });
  std::map<std::tuple<int32_t, int64_t, std::vector<int32_t>>, int> seen;
  for (size_t i = 0, count = starts.size(); i < count && !isOver(); ++i) {
    if (!starts[i].result.overBytes ||
        seen[{starts[i].plan.workload, starts[i].plan.replicas, starts[i].plan.rankOf}]++ >= mostOfMap)
      continue;
    Candidate each = starts[i];
    if (!repair(each, steps))
      continue;
    starts.push_back(each);
    if (!mayCut || workloadOf(each).sharing || !isOn("recut"))
      continue;
    const Workload &workload = workloadOf(each);
    std::vector<int64_t> added(workload.units.size(), 0);
    for (size_t call = 0; call < workload.calls.size(); ++call)
      if (each.plan.recompute[call] != Recompute::no)
        added[size_t(workload.calls[call].unit)] += workload.calls[call].ns;
    std::vector<int32_t> before = each.plan.stageOf;
    each.plan.stageOf = cutUnits(workload, machine, each.plan.rankOf, each.plan.replicas, added);
    std::fill(each.plan.recompute.begin(), each.plan.recompute.end(), Recompute::no);
    each.tasks = nullptr;
    if (each.plan.stageOf != before && orderAnew(each) && assess(each) && repair(each, steps))
      starts.push_back(std::move(each));
  }
}
