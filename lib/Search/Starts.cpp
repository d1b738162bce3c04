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

// The rank maps of a number of ranks, within the limits. Stages on ranks 0, 1, 2:
//
//   plain 012 · extra 0120 · loop 012012 · vShape 012210
std::vector<std::vector<int32_t>> Searcher::rankMaps(int64_t ranks) const {
  // A map that the user wrote is the only one.
  if (!limits.rankOf.empty())
    return {limits.rankOf};
  std::vector<std::vector<int32_t>> maps;
  auto add = [&](const char *name, int64_t stages, auto rankOf) {
    bool fits = (!limits.stages || stages == limits.stages) && (!limits.chunks || stages == limits.chunks * ranks);
    if (fits && isOn(name))
      maps.push_back(mapOf(stages, rankOf));
  };
  if (ranks == 1) { // all stages that the limits ask for
    add("plain", std::max<int64_t>({1, limits.stages, limits.chunks}), [](int64_t) { return 0; });
    return maps;
  }
  planner::Placement placement = limits.schedule ? rowOf(*limits.schedule).placement : planner::Placement::any;
  int64_t leastChunks = limits.schedule ? rowOf(*limits.schedule).chunks : 1;
  // 4 unless the limits ask for more; not tuned: more chunks mean more messages.
  auto mostChunks = std::max<int64_t>({limits.chunks, limits.stages / ranks, 4});
  // A schedule for several chunks does not take one stage per rank.
  if (leastChunks <= 1)
    add("plain", ranks, [&](int64_t stage) { return stage; });
  if (placement == planner::Placement::any)
    add("extra", ranks + 1, [&](int64_t stage) { return stage % ranks; });
  for (int64_t chunks = 2; chunks <= mostChunks; ++chunks) {
    if (placement != planner::Placement::vShape)
      add("loop", chunks * ranks, [&](int64_t stage) { return stage % ranks; });
    // A schedule with V-shape placement fixes the number of chunks.
    if (placement == planner::Placement::any || (placement == planner::Placement::vShape && chunks == leastChunks))
      add("vee", chunks * ranks,
          [&](int64_t stage) { return stage / ranks % 2 ? ranks - 1 - stage % ranks : stage % ranks; });
  }
  return maps;
}

// All combinations of workload, replicas and rank map that fit the machine. Workloads whose ranks share stages bring
// their own rank map.
void Searcher::forEachStart(const VisitStart &visit) const {
  auto visitIf = [&](size_t index, int64_t replicas, const std::vector<int32_t> &map, size_t units) {
    const Workload &workload = workloads[index];
    int64_t ranks = *std::max_element(map.begin(), map.end()) + 1;
    bool divides = workload.groups % replicas == 0 && workload.microBatches % replicas == 0;
    // Replicas divide accumulation groups and micro-batches evenly, and each stage needs a unit.
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

// Makes a frame: cut, but not ordered. Without limits of bytes it promises the work of its slowest rank. Under limits,
// work alone led to few micro-batches, of which none fits. So two plans are tried: one that saves all, one that
// recomputes all.
Searcher::Frame Searcher::frameOf(int32_t index, int64_t replicas, const std::vector<int32_t> &rankOf) {
  const Workload &workload = workloads[size_t(index)];
  Frame answer;
  Candidate &frame = answer.base;
  PlanSpec &plan = frame.plan;
  plan.workload = index;
  plan.replicas = replicas;
  plan.rankOf = rankOf;
  plan.stageOf = workload.sharing         ? workload.sharing->stageOf
                 : limits.stageOf.empty() ? cutUnits(workload, machine, rankOf, replicas)
                                          : limits.stageOf;
  // Recomputation that a policy or a spec fixes stands for all starts.
  plan.recompute.assign(workload.calls.size(), Recompute::no);
  if (!limits.recompute.empty()) {
    plan.recompute = limits.recompute[size_t(index)].calls;
    plan.saved = limits.recompute[size_t(index)].saved;
  }
  // On one rank nothing waits for a B, so a split backward gains nothing.
  plan.fullBackward.assign(workload.units.size(), !(limits.maySplit && plan.ranks() > 1));
  frame.price.assign(size_t(plan.ranks()), 0.0);
  makeTasks(frame);
  answer.workNs = evaluators[size_t(index)].workNs(plan, *frame.tasks);
  answer.cost = answer.workNs;
  if (!hasBudget())
    return answer;
  Candidate probe = frame;
  if (mayOrder)
    orderByPattern(*probe.tasks, {}, runsOf(plan), probe.plan);
  answer.cost = orderAnew(probe) && assess(probe) ? probe.cost : std::numeric_limits<double>::infinity();
  // The other extreme: everything recomputed holds the fewest bytes.
  probe = frame;
  if (mayOrder && mayRecompute() && atLevel(probe, /*isFull=*/true, mostLevel))
    answer.cost = std::min(answer.cost, probe.cost);
  return answer;
}

// Makes the starts, frames with the best promise first, so that bad frames can be skipped. Annealing changes a frame's
// rank map and cut, so frames somewhat slower than the best plan are starts, too: `gpt.ein` on 4 ranks takes 12.8 ms
// without them, 12.3 ms with them.
std::vector<Candidate> Searcher::makeStarts(const std::vector<PlanSpec> &known) {
  constexpr double near = 1.06; // lower bound over the best plan; not tuned otherwise
  // On a GPT of 8 layers on 8 ranks in half of its bytes, frames above 1.3 times the best plan gave nothing and took
  // most of the effort. 1.5 leaves a margin.
  constexpr double promising = 1.5;
  std::vector<Candidate> starts;
  for (const PlanSpec &plan : known) {
    Candidate each;
    each.plan = plan;
    each.price.assign(size_t(plan.ranks()), 0.0);
    if (assess(each))
      starts.push_back(std::move(each));
  }
  std::vector<Frame> frames;
  if (known.empty())
    // Frames are made for all combinations, since only their costs say which are promising.
    forEachStart([&](int32_t index, int64_t replicas, const std::vector<int32_t> &rankOf) {
      frames.push_back(frameOf(index, replicas, rankOf));
    });
  std::stable_sort(frames.begin(), frames.end(), [](const Frame &a, const Frame &b) { return a.cost < b.cost; });
  enough = limits.effort / 2; // the other half is for moves
  for (const Frame &frame : frames) {
    if (isOver() || (best && frame.cost > best->cost * promising))
      break;
    // Work alone is a lower bound on the step of the frame.
    if (!best || frame.workNs <= best->cost * near)
      addStarts(frame.base, starts);
  }
  if (!known.empty())
    repairStarts(starts, 0);
  enough = limits.effort;
  return starts;
}

// Adds the starts of one frame: orders, and what makes them fit where some exceed the limits.
void Searcher::addStarts(const Candidate &frame, std::vector<Candidate> &starts) {
  size_t from = starts.size();
  bool splits = limits.maySplit && frame.plan.ranks() > 1;
  addOrders(frame, splits, starts);
  auto isAbove = [](const Candidate &each) { return each.result.overBytes > 0; };
  if (std::none_of(starts.begin() + long(from), starts.end(), isAbove))
    return;
  // A full backward holds fewer bytes, which counts only where limits bind.
  if (splits && isOn("full")) {
    Candidate full = frame;
    full.plan.fullBackward.assign(full.plan.fullBackward.size(), 1);
    makeTasks(full);
    if (mayOrder)
      addFamilies(full, starts);
    else
      addOrders(full, /*splits=*/false, starts);
  }
  if (mayRecompute()) {
    repairStarts(starts, from);
    if (mayOrder && isOn("levels"))
      for (bool isFull : {false, true})
        if (isFull || splits)
          addLevels(frame, isFull, starts);
    // Chains hold the fewest bytes and cost the most time: only if nothing else fits.
    if (!best && isOn("chains"))
      addChains(frame, starts);
  }
}

// For limits near the least memory. Only every unit's inputs, or those of every second, fourth .. unit, are saved; the
// rest is recomputed for each unit or call that needs it. These are the checkpoints of a chain, after Chen et al.,
// "Training Deep Nets with Sublinear Memory Cost", 2016.
void Searcher::addChains(const Candidate &frame, std::vector<Candidate> &starts) {
  const Workload &workload = workloadOf(frame);
  std::vector<char> isRead(workload.calls.size(), 0); // by forward call: another unit reads its result forward
  for (const Call &call : workload.calls)
    for (int32_t value : call.reads)
      if (auto maker = size_t(workload.values[size_t(value)].maker);
          call.kind == TaskKind::F && workload.calls[maker].unit != call.unit)
        isRead[maker] = 1;
  for (size_t every = 1; every < 2 * workload.units.size(); every *= 2)
    for (Recompute how : {Recompute::perUnit, Recompute::perCall}) {
      Candidate each = frame;
      for (size_t call = 0; call < workload.calls.size(); ++call)
        if (workload.calls[call].mayRecompute)
          each.plan.recompute[call] =
              isRead[call] && size_t(workload.calls[call].unit) % every == 0 ? Recompute::no : how;
      if (!listWithin(each, /*isFull=*/true))
        continue;
      thin(each);
      starts.push_back(std::move(each));
    }
}

// Orders a plan by list scheduling, which starts as many micro-batches as fit beside the saved activations. The price
// of 1 marks all ranks, so `repair` may let them save more again.
bool Searcher::listWithin(Candidate &each, bool isFull) {
  each.plan.fullBackward.assign(each.plan.fullBackward.size(), isFull);
  each.price.assign(each.price.size(), 1);
  makeTasks(each);
  // The list schedule needs starts to measure critical paths from; any valid order gives them.
  orderByPattern(*each.tasks, {}, runsOf(each.plan), each.plan);
  return assess(each) && relist(each, 0, /*byTail=*/true) && assess(each);
}

// Lets all units recompute equally much: from nothing at level 0 to all at `mostLevel`.
bool Searcher::atLevel(Candidate &each, bool isFull, size_t level) {
  for (size_t unit = 0; unit < each.plan.stageOf.size(); ++unit) {
    const std::vector<SavedOption> &all = optionsOf(each.plan.workload, int32_t(unit));
    setOption(each, int32_t(unit), all[(all.size() - 1) * level / mostLevel]);
  }
  return listWithin(each, isFull);
}

// At each level as many micro-batches start as fit; then `repair` saves what a rank need not recompute. A last list
// schedule uses the bytes that are left.
void Searcher::addLevels(const Candidate &frame, bool isFull, std::vector<Candidate> &starts) {
  for (size_t level = 0; level <= mostLevel && !isOver(); ++level) {
    Candidate each = frame;
    if (!atLevel(each, isFull, level))
      continue;
    starts.push_back(each);
    if (!repair(each, 10)) // 10 bisections of 15 decades: to 1.5 % of a decade
      continue;
    starts.push_back(each);
    if (relist(each, 0, /*byTail=*/true) && assess(each))
      starts.push_back(std::move(each));
  }
}

// The named schedules that depend on shape alone: so no found plan is slower than a named schedule on these stages.
void Searcher::addFamilies(const Candidate &base, std::vector<Candidate> &starts) {
  if (base.plan.ranks() == 1 || !isOn("families") || !workloadOf(base).hasBackward)
    return;
  auto families = plc::Choice<planner::ScheduleKind>::rows();
  for (size_t kind = 0; kind < families.size(); ++kind) {
    Candidate each = base;
    if (families[kind].follows != planner::OrderSource::shape ||
        orderByFamily(*each.tasks, workloadOf(each), planner::ScheduleKind(kind), nullptr, each.plan))
      // A family that does not take these stages is no start.
      continue;
    completeOrder(*each.tasks, each.plan);
    if (assess(each))
      starts.push_back(std::move(each));
  }
}

// Adds starts of one frame that differ in order: families, patterns, and a list schedule from each pattern.
void Searcher::addOrders(const Candidate &base, bool splits, std::vector<Candidate> &starts) {
  if (!mayOrder) {
    Candidate each = base;
    if (orderAnew(each) && assess(each))
      starts.push_back(std::move(each));
    return;
  }
  addFamilies(base, starts);
  int64_t from = spent;
  int64_t runs = runsOf(base.plan);
  // With more micro-batches for each rank, fill and drain of the pipeline are about a hundredth of the step.
  constexpr int64_t mostRunsOfRank = 16;
  if (runs > mostRunsOfRank * base.plan.ranks() && workloads.size() > 1)
    return;
  std::vector<Pattern> patterns = patternsOf(runs, base.plan.ranks(), base.plan.stages(), splits);
  if (base.plan.ranks() == 1 || !workloadOf(base).hasBackward)
    patterns.resize(1); // there is only one order
  for (const Pattern &pattern : patterns) {
    // Under limits patterns take a sixth of the effort, so that starts can still be repaired. 1,000 layers in 64 stages
    // under 0.6 of the bytes of `auto` take 98.9 ms with this limit, 128.2 ms without.
    if (!isOn(pattern.name) || isOver() || (hasBudget() && spent - from > (limits.effort - from) / 6))
      continue;
    Candidate each = base;
    orderByPattern(*each.tasks, pattern, runs, each.plan);
    // A plan half as long again is no start, unless limits bind and it may hold fewer bytes.
    if (!assess(each,
                hasBudget() || !best ? std::numeric_limits<double>::infinity() : double(best->result.aloneNs) * 1.5))
      continue;
    Candidate listed = each;
    starts.push_back(std::move(each));
    if (isOn("relist") && relist(listed, 0, /*byTail=*/true) && assess(listed))
      starts.push_back(std::move(listed));
  }
}

// Repairs the cheapest starts of a frame that exceed the limits.
void Searcher::repairStarts(std::vector<Candidate> &starts, size_t from) {
  constexpr int most = 6, steps = 14; // 14 bisections of 15 decades: to a thousandth of a decade. `most` is not tuned
  std::stable_sort(starts.begin() + long(from), starts.end(), isCheaper);
  int repaired = 0;
  for (size_t i = from, count = starts.size(); i < count && repaired < most && !isOver(); ++i) {
    if (!starts[i].result.overBytes)
      continue;
    ++repaired;
    Candidate each = starts[i];
    if (repair(each, steps))
      starts.push_back(std::move(each));
  }
}
