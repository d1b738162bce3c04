//===- Moves.cpp - neighbours of a plan -----------------------------------===//
#include "Searcher.h"

#include <algorithm>
#include <cmath>

using namespace plc::search;

namespace {

size_t countOf(const std::vector<int32_t> &list, int32_t value) {
  return size_t(std::count(list.begin(), list.end(), value));
}

/// Moves off this rank are the ones that may shorten the step.
size_t busiestRank(const Evaluation &result) {
  return size_t(std::max_element(result.busyNs.begin(), result.busyNs.end()) - result.busyNs.begin());
}

/// The range of stages that a unit may be in, such that no value goes to an earlier stage.
std::pair<int32_t, int32_t> stagesFor(const Workload &workload, const PlanSpec &plan, size_t unit) {
  int32_t low = 0, high = plan.stages() - 1;
  for (int32_t other : workload.before[unit])
    low = std::max(low, plan.stageOf[size_t(other)]);
  for (int32_t other : workload.behind[unit])
    high = std::min(high, plan.stageOf[size_t(other)]);
  return {low, high};
}

} // namespace

void Searcher::addMoves() {
  // Weights are relative frequencies. Moves of tasks are the most frequent, because they change a plan least. They
  // follow an ablation of single moves, whose numbers are not recorded.
  auto add = [&](bool may, const char *name, double weight, bool (Searcher::*make)(Candidate &)) {
    if (may && isOn(name))
      moves.push_back({weight, make});
  };
  add(mayCut, "border", 2, &Searcher::moveBorder);
  add(mayMap, "stage", 1, &Searcher::moveStage);
  add(mayOrder, "tasks", 5, &Searcher::moveTasks);
  add(mayOrder, "relist", 1, &Searcher::moveList);
  add(limits.maySplit && mayOrder, "split", 1, &Searcher::moveSplit);
  add(limits.mayRecompute && hasBudget(), "recompute", 3, &Searcher::moveRecompute);
}

// Orders the same tasks by a new list schedule, by critical path or by their present starts. Noise, as a fraction of
// the step, makes neighbours.
bool Searcher::relist(Candidate &each, double noise, bool byTail) {
  int64_t runs = runsOf(each.plan);
  std::vector<double> keys =
      byTail ? keysByTail(*each.tasks, each.plan, each.result, runs) : keysByStart(each.plan, each.result, runs);
  // In proportion to the step, so noise reorders neighbours alike in short and in long steps.
  if (noise > 0)
    for (double &key : keys)
      key += noise * fraction() * double(each.result.stepNs);
  spent += int64_t(keys.size());
  return orderByKeys(*each.tasks, machine, keys, runs, each.plan);
}

// A list schedule, mostly with up to 3 % of noise. Not tuned.
bool Searcher::moveList(Candidate &each) {
  bool isNoisy = fraction() >= 0.3;
  return relist(each, isNoisy ? 0.03 * fraction() : 0, fraction() < 0.5);
}

// Moves tasks of one stage and kind by 1 to 6 positions on their rank: one task, a run of micro-batches, or all of
// them. Micro-batches are renumbered afterwards, so each kind of a stage stays in index order. A move of all
// micro-batches changes the pattern of the schedule, so it goes 3 positions at most.
bool Searcher::moveTasks(Candidate &each) {
  std::vector<Task> &row = each.plan.order[size_t(pick(each.plan.order.size()))];
  // One or two tasks have no order worth a search.
  if (row.size() < 3)
    return false;
  const Task moved = row[size_t(pick(row.size()))];
  auto runs = int32_t(runsOf(each.plan)), first = moved.microBatch, last = first;
  double how = fraction();
  // All micro-batches, a run of them, or the drawn one alone.
  if (how < 0.3) {
    first = 0;
    last = runs - 1;
  } else if (how < 0.5) {
    first = pick(size_t(runs));
    last = first + pick(size_t(runs - first));
  }
  int by = 1 + pick(how < 0.3 ? 3 : 6);
  // Half a position more, so that the moved task ends between two others.
  double shift = fraction() < 0.5 ? -by - 0.5 : by + 0.5;
  std::vector<std::pair<double, Task>> keyed;
  for (size_t i = 0; i < row.size(); ++i) {
    bool isMoved = row[i].stage == moved.stage && row[i].kind == moved.kind && row[i].microBatch >= first &&
                   row[i].microBatch <= last;
    keyed.emplace_back(double(i) + (isMoved ? shift : 0), row[i]);
  }
  // Stable, so tasks that do not move keep their order.
  std::stable_sort(keyed.begin(), keyed.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
  std::vector<int32_t> next(each.plan.rankOf.size() * 3, 0);
  bool isChanged = false;
  for (size_t i = 0; i < row.size(); ++i) {
    Task task = keyed[i].second;
    task.microBatch = next[size_t(StageTasks::nodeOf(task.stage, task.kind))]++;
    isChanged |= !(task == row[i]);
    row[i] = task;
  }
  return isChanged;
}

// Shifts all borders between two stages by one unit. The first stage, often of the busiest rank, loses a unit, the last
// one gains one, the stages between keep their number. So work moves to a distant stage without a detour through worse
// cuts.
bool Searcher::shiftBorders(Candidate &each) {
  PlanSpec &plan = each.plan;
  const Workload &workload = workloadOf(each);
  auto stages = size_t(plan.stages());
  int32_t from = pick(stages), to = pick(stages);
  auto busiest = int32_t(busiestRank(each.result));
  // Prefer the busiest rank, but end where it has no stage to give.
  for (int tries = 0; tries < 20 && plan.rankOf[size_t(from)] != busiest; ++tries)
    from = pick(stages);
  if (from == to || countOf(plan.stageOf, from) < 2)
    return false;
  int32_t by = to < from ? -1 : 1;
  // In each stage on the way, the unit next to the border that moves: the first one to the front, the last one to the
  // back.
  std::vector<size_t> moved;
  for (int32_t stage = from; stage != to; stage += by) {
    auto it = by < 0 ? std::find(plan.stageOf.begin(), plan.stageOf.end(), stage)
                     : std::prev(std::find(plan.stageOf.rbegin(), plan.stageOf.rend(), stage).base());
    moved.push_back(size_t(it - plan.stageOf.begin()));
  }
  // All units move before any is checked, because each is legal only beside the moved others.
  for (size_t unit : moved)
    plan.stageOf[unit] += by;
  for (size_t unit : moved)
    if (auto [low, high] = stagesFor(workload, plan, unit); plan.stageOf[unit] < low || plan.stageOf[unit] > high)
      return false;
  // The tasks depend on the cut, so the evaluation makes them anew.
  each.tasks = nullptr;
  return true;
}

// Moves a unit to another stage that its values allow, in half of the cases off the busiest rank. Sometimes another
// unit moves too, because one alone may unbalance the cut. Never empties a stage.
bool Searcher::moveBorder(Candidate &each) {
  // Ranks that share stages have a cut that is fixed with their rank map.
  if (workloadOf(each).sharing)
    return false;
  if (fraction() < 0.4)
    return shiftBorders(each);
  PlanSpec &plan = each.plan;
  const Workload &workload = workloadOf(each);
  auto unit = size_t(pick(plan.stageOf.size()));
  if (fraction() < 0.5) {
    auto busiest = int32_t(busiestRank(each.result));
    for (int tries = 0; tries < 50 && plan.rankOf[size_t(plan.stageOf[unit])] != busiest; ++tries)
      unit = size_t(pick(plan.stageOf.size()));
  }
  auto [low, high] = stagesFor(workload, plan, unit);
  if (low >= high || countOf(plan.stageOf, plan.stageOf[unit]) < 2)
    return false;
  int32_t to = low + pick(size_t(high - low + 1));
  if (to == plan.stageOf[unit])
    return false;
  plan.stageOf[unit] = to;
  // The second unit goes to an end of its range: a far move, which can make room for the first.
  for (int tries = fraction() < 0.3 ? 20 : 0; tries > 0; --tries) {
    auto other = size_t(pick(plan.stageOf.size()));
    auto [least, most] = stagesFor(workload, plan, other);
    if (other == unit || least >= most || countOf(plan.stageOf, plan.stageOf[other]) < 2)
      continue;
    plan.stageOf[other] = plan.stageOf[other] == least ? most : least;
    break;
  }
  each.tasks = nullptr;
  return true;
}

// Changes the rank map. Probabilities are not tuned:
//
//   0.3  a stage goes to another rank
//   0.3  two stages swap ranks
//   0.2  a stage is divided
//   0.2  a stage is merged with the next one
//
// No rank is left without a stage. The tasks are then listed by the starts that their stages had before.
bool Searcher::moveStage(Candidate &each) {
  if (workloadOf(each).sharing)
    return false;
  PlanSpec &plan = each.plan;
  auto stages = size_t(plan.stages());
  int32_t ranks = plan.ranks();
  auto isAlone = [&](size_t stage) { return countOf(plan.rankOf, plan.rankOf[stage]) < 2; };
  std::vector<size_t> parent(stages); // by new stage: the old stage whose starts it inherits
  for (size_t stage = 0; stage < stages; ++stage)
    parent[stage] = stage;
  double how = fraction();
  if (how < 0.3) {
    auto stage = size_t(pick(stages));
    int32_t rank = pick(size_t(ranks));
    if (plan.rankOf[stage] == rank || isAlone(stage))
      return false;
    plan.rankOf[stage] = rank;
  } else if (how < 0.6) {
    auto a = size_t(pick(stages)), b = size_t(pick(stages));
    // Also covers a == b: nothing would change.
    if (plan.rankOf[a] == plan.rankOf[b])
      return false;
    std::swap(plan.rankOf[a], plan.rankOf[b]);
  } else if (how < 0.8) {
    constexpr size_t mostOfRank = 4; // stages of a rank on average; not tuned: more add messages
    auto stage = size_t(pick(stages));
    size_t size = countOf(plan.stageOf, int32_t(stage));
    if (size < 2 || stages >= mostOfRank * size_t(ranks))
      return false;
    // The first `head` units stay, the others and all later stages count one more.
    size_t head = 1 + size_t(pick(size - 1)), seen = 0;
    for (int32_t &of : plan.stageOf)
      of += of > int32_t(stage) || (of == int32_t(stage) && seen++ >= head);
    plan.rankOf.insert(plan.rankOf.begin() + long(stage) + 1, pick(size_t(ranks)));
    parent.insert(parent.begin() + long(stage) + 1, stage);
  } else {
    if (stages < 2)
      return false;
    auto stage = size_t(pick(stages - 1));
    // The merged stage stays on the first one's rank, so the second's rank must have another stage.
    if (plan.rankOf[stage + 1] != plan.rankOf[stage] && isAlone(stage + 1))
      return false;
    for (int32_t &of : plan.stageOf)
      of -= of > int32_t(stage);
    plan.rankOf.erase(plan.rankOf.begin() + long(stage) + 1);
    parent.erase(parent.begin() + long(stage) + 1);
  }
  auto runs = size_t(runsOf(plan));
  // Starts of the order before: the result knows it by the stages that it had then.
  std::vector<double> old = [&] {
    PlanSpec before = plan;
    before.rankOf.resize(stages);
    return keysByStart(before, each.result, int64_t(runs));
  }();
  std::vector<double> keys;
  for (size_t stage : parent)
    keys.insert(keys.end(), old.begin() + long(stage * 3 * runs), old.begin() + long((stage + 1) * 3 * runs));
  each.tasks = std::make_shared<StageTasks>(tasksOf(workloadOf(each), plan, machine.ranks));
  spent += int64_t(keys.size());
  return orderByKeys(*each.tasks, machine, keys, int64_t(runs), plan);
}

// Switches a unit between full and split backward; in half of the cases with its stage, in a fifth with all units,
// since one unit alone seldom changes the step.
bool Searcher::moveSplit(Candidate &each) {
  PlanSpec &plan = each.plan;
  auto unit = size_t(pick(plan.fullBackward.size()));
  char to = !plan.fullBackward[unit];
  double how = fraction();
  for (size_t other = 0; other < plan.fullBackward.size(); ++other)
    if (other == unit || how < 0.2 || (how < 0.7 && plan.stageOf[other] == plan.stageOf[unit]))
      plan.fullBackward[other] = to;
  each.tasks = nullptr;
  return true;
}

// Changes recomputation: of a call (on, off, or another number of clones), of a unit (another option), or of a rank
// (another price of a byte, which usually falls a little).
bool Searcher::moveRecompute(Candidate &each) {
  PlanSpec &plan = each.plan;
  const Workload &workload = workloadOf(each);
  double how = fraction();
  if (how < 0.5) {
    auto call = size_t(pick(workload.calls.size()));
    if (!workload.calls[call].mayRecompute)
      return false;
    Recompute &now = plan.recompute[call];
    // Mostly one clone for all readers: more clones pay only near the least memory.
    auto other = Recompute(1 + (fraction() < 0.7 ? 0 : pick(3)));
    now = now == other ? Recompute::no : other;
  } else if (how < 0.8) {
    int32_t unit = pick(plan.stageOf.size());
    const std::vector<SavedOption> &all = optionsOf(plan.workload, unit);
    if (all.size() < 2)
      return false;
    setOption(each, unit, all[size_t(pick(all.size()))]);
  } else {
    std::vector<char> ranks(plan.order.size(), 0);
    auto rank = size_t(pick(ranks.size()));
    ranks[rank] = 1;
    double &price = each.price[rank];
    // A factor between exp(-0.9) and exp(0.6). A price of 0 would stay 0, so it begins at a tiny one.
    price = std::max(price, 1e-6) * std::exp((fraction() - 0.6) * 1.5);
    applyPrices(each, ranks);
  }
  each.tasks = nullptr;
  return true;
}
