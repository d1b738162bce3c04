//===- Searcher.cpp - starts, then annealing of the best ------------------===//
#include "Searcher.h"

#include <algorithm>
#include <cmath>

using namespace plc::search;

namespace {

/// Penalty of bytes above the limits, as a fraction of the step for a plan that is above by its whole limit. One value
/// compares starts; the search moves another one within the range. A fixed penalty stands still (Rationale of the plan
/// dialect). The values are not tuned: the least must still let a plan cross the limit, the most must push it back.
constexpr double startPenalty = 6, leastPenalty = 0.3, mostPenalty = 30;
/// Annealing accepts a plan that is this fraction worse at first; the fraction falls to 0. Measured on GPTs on 2 to 8
/// ranks from 0.002 to 0.02: within 0.3 % of each other.
constexpr double hottest = 0.006;
/// Steps within this factor count as equal, and the plan with fewer bytes wins. It is a tenth of the error of
/// predictions (`bench/prediction.py`: 3 to 6 %).
constexpr double fewerBytes = 1.0025;
/// Plans that a search under lower limits starts from. Not tuned: more of them divide its effort.
constexpr size_t mostFinalists = 4;

int64_t mostBytes(const Candidate &each) {
  return *std::max_element(each.result.bytes.begin(), each.result.bytes.end());
}

} // namespace

Searcher::Searcher(const std::vector<Workload> &workloads, const Machine &machine, const Limits &limits,
                   SearchReport &report)
    : workloads(workloads), machine(machine), limits(limits), report(report), random(limits.seed),
      options(workloads.size()) {
  for (const Workload &workload : workloads)
    evaluators.emplace_back(workload, machine);
  mayOrder = !limits.schedule;
  // Without the technique bytes decide only between equal steps.
  asFast = isOn("fewer bytes") ? fewerBytes : 1;
  mayCut = limits.stageOf.empty();
  // Moves of stages change cut, map and order together, so none of them may be fixed.
  mayMap = mayOrder && mayCut && limits.rankOf.empty() && !limits.stages && !limits.chunks;
}

// Until some plan fits, the whole effort may go into starts; then `enough` reserves the rest for moves.
bool Searcher::isOver() {
  if (spent >= (best ? enough : limits.effort))
    return true;
  std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
  if (taken.count() > limits.seconds)
    report.isAborted = true;
  return report.isAborted;
}

double Searcher::guideOf(const Evaluation &result, double penalty) const {
  return double(result.aloneNs) * (1 + penaltyOfByte(penalty) * double(result.overBytes));
}

// Costs effort in proportion to the calls, since it visits each of them.
void Searcher::makeTasks(Candidate &each) {
  each.tasks = std::make_shared<StageTasks>(tasksOf(workloadOf(each), each.plan, machine.ranks));
  spent += int64_t(workloadOf(each).calls.size());
}

bool Searcher::orderAnew(Candidate &each) {
  if (mayOrder)
    return true;
  const Workload &workload = workloadOf(each);
  if (!each.tasks)
    makeTasks(each);
  // No fault: the schedule takes these stages.
  if (!orderByFamily(*each.tasks, workload, *limits.schedule, limits.file ? &*limits.file : nullptr, each.plan))
    return true;
  // On one rank all orders are one, also of schedules that want several stages on each.
  if (each.plan.ranks() > 1)
    return false;
  orderByPattern(*each.tasks, {}, runsOf(each.plan), each.plan);
  return true;
}

// Also keeps `best` and `lean`. They are compared by the helped step, which is what a user gets; moves and starts go by
// `cost`, the unhelped one.
bool Searcher::assess(Candidate &each, double most, double penalty) {
  if (!each.tasks)
    makeTasks(each);
  each.cost = std::numeric_limits<double>::infinity();
  // A full backward that reads a value made later has no order, so it has no cost.
  if (!each.tasks->isLegal)
    return false;
  each.result = evaluators[size_t(each.plan.workload)].evaluate(each.plan, *each.tasks, {most, penaltyOfByte(penalty)});
  ++report.evaluations;
  spent += actionsOf(each);
  if (!each.result.ends)
    return false;
  each.cost = guideOf(each.result, startPenalty);
  if (each.result.overBytes == 0) {
    if (!best || each.result.stepNs < best->result.stepNs)
      best = each;
    // `best` has left the old `lean` behind: start again from it.
    if (!lean || double(lean->result.stepNs) > double(best->result.stepNs) * asFast)
      lean = best;
    else if (double(each.result.stepNs) <= double(best->result.stepNs) * asFast && mostBytes(each) < mostBytes(*lean))
      lean = each;
  } else if (!best && (!nearest || each.result.overBytes < nearest->result.overBytes)) {
    nearest = each;
  }
  return true;
}

// The effort of an evaluation: `order` and the simulator each visit all tasks, and each message has two posts and two
// waits. A plan that is cut off is not played.
int64_t Searcher::actionsOf(const Candidate &each) const {
  int64_t tasks = 0;
  for (const auto &row : each.plan.order)
    tasks += int64_t(row.size());
  return tasks * 2 + (each.result.ends ? int64_t(each.tasks->routes.size()) * runsOf(each.plan) * 4 : 0);
}

// The plans to anneal: the best start of each frame first, for variety, then the next best of each.
std::vector<Candidate> Searcher::choosePool(std::vector<Candidate> &starts) {
  constexpr double near = 1.15; // in trials no anneal has made up for more
  constexpr size_t size = 16;   // not tuned: more halves the effort of each once more
  std::vector<Candidate> pool;
  std::map<FrameKey, int> seen;
  // `best` may be no start: it is compared with help, and it may be the trial plan of a frame that got no effort.
  if (best && (starts.empty() || best->cost > starts.front().cost * near))
    pool.push_back(*best);
  // Starts are sorted, so the first of a frame is its best.
  for (int most : {1, 3})
    for (Candidate &each : starts) {
      if (!each.tasks || pool.size() >= size || (best && each.cost > starts.front().cost * near))
        continue;
      int &count = seen[frameKey(each.plan)];
      if (count >= most)
        continue;
      ++count;
      pool.push_back(each);
      each.tasks = nullptr; // taken
    }
  return pool;
}

// A move, drawn with a probability in proportion to its weight.
const Searcher::Move &Searcher::drawMove() {
  double sum = 0;
  for (const Move &move : moves)
    sum += move.weight;
  double drawn = fraction() * sum;
  for (const Move &move : moves)
    if ((drawn -= move.weight) <= 0)
      return move;
  return moves.front();
}

// Simulated annealing from `start` for so much effort; `start` becomes the best plan met. The threshold of acceptance
// is fixed in each step, so a worse plan can be cut off during its evaluation. The penalty starts at 3, between its
// bounds.
void Searcher::anneal(Candidate &start, int64_t units) {
  double penalty = 3;
  Candidate now = start;
  int64_t from = spent;
  // Effort and not time is the measure, so that a plan does not depend on the machine's load.
  for (int64_t step = 1; spent - from < units; ++step) {
    // Not in each step: reading the clock takes time, too.
    if (step % 64 == 0 && isOver())
      return;
    double heat = hottest * (1 - double(spent - from) / double(units));
    // The penalty follows the plan, so that it walks along the limit instead of staying on one side.
    if (hasBudget() && step % 32 == 0)
      penalty = std::clamp(now.result.overBytes ? penalty * 1.2 : penalty / 1.2, leastPenalty, mostPenalty);
    const Move &move = drawMove();
    Candidate next = now;
    spent += 8; // moves that find nothing must end, too
    if (!(this->*move.make)(next) || !orderAnew(next))
      continue;
    // The present plan is judged by the penalty of this step, as its neighbour is.
    if (!assess(next, guideOf(now.result, penalty) * (1 + heat), penalty))
      continue;
    now = std::move(next);
    // `cost` has a fixed penalty, so plans of different times compare.
    if (now.cost < start.cost)
      start = now;
  }
}

// Algorithm: 1. make starts; 2. report the best of each frame; 3. anneal a pool and halve it until one is left.
std::optional<Found> Searcher::run(const std::vector<PlanSpec> &known) {
  std::vector<Candidate> starts = makeStarts(known);
  std::stable_sort(starts.begin(), starts.end(), isCheaper);
  if (!best) // none fits: plans with the fewest bytes above the limits lead to plans that fit
    std::stable_sort(starts.begin(), starts.end(),
                     [](const Candidate &a, const Candidate &b) { return a.result.overBytes < b.result.overBytes; });
  std::set<FrameKey> seen;
  for (const Candidate &each : starts)
    if (seen.insert(frameKey(each.plan)).second) {
      report.starts.push_back({each.plan, each.result});
      report.starts.back().plan.order.clear();
    }
  addMoves();
  std::vector<Candidate> pool = choosePool(starts);
  starts.clear();
  // Caps the evaluations, so that toy models are planned in a moment. Not tuned: it gives up what more moves would
  // find.
  constexpr int64_t mostEvaluations = 30'000;
  // An evaluation costs its actions and, after a change of the cut, its calls.
  int64_t effort = limits.effort;
  if (!pool.empty())
    effort = std::min(effort, spent + mostEvaluations *
                                          (actionsOf(pool.front()) + int64_t(workloadOf(pool.front()).calls.size())));
  // Successive halving: Jamieson and Talwalkar, "Non-stochastic best arm identification", 2016.
  while (!moves.empty() && !pool.empty() && !isOver()) {
    // Each round gets an equal part of the effort, so later rounds anneal fewer plans for longer.
    auto rounds = size_t(std::ceil(std::log2(double(pool.size())))) + 1;
    int64_t slice = (effort - spent) / int64_t(rounds) / int64_t(pool.size());
    for (Candidate &each : pool)
      anneal(each, slice);
    std::stable_sort(pool.begin(), pool.end(), isCheaper);
    // The first round that is small enough, before halving drops any of them.
    if (pool.size() <= mostFinalists && report.finalists.empty())
      for (const Candidate &each : pool)
        report.finalists.push_back(each.plan);
    if (pool.size() == 1)
      break;
    pool.resize((pool.size() + 1) / 2);
  }
  if (lean) {
    report.finalists.insert(report.finalists.begin(), lean->plan);
    return Found{std::move(lean->plan), std::move(lean->result)};
  }
  if (nearest)
    report.nearest = Found{std::move(nearest->plan), std::move(nearest->result)};
  return std::nullopt;
}

bool plc::search::hasStarts(const std::vector<Workload> &workloads, const Machine &machine, const Limits &limits) {
  SearchReport report;
  return Searcher(workloads, machine, limits, report).hasStarts();
}

std::optional<Found> plc::search::search(const std::vector<Workload> &workloads, const Machine &machine,
                                         const Limits &limits, SearchReport &report,
                                         const std::vector<PlanSpec> &known) {
  if (machine.limitBytes.empty())
    return Searcher(workloads, machine, limits, report).run(known);
  if (known.empty()) {
    // First without limits: if the fastest plan fits anyway, limits cost nothing. Else its step is reported as what the
    // limits cost.
    Machine free = machine;
    free.limitBytes.clear();
    std::optional<Found> found = Searcher(workloads, free, limits, report).run(known);
    if (!found)
      return found;
    bool fits = true;
    for (size_t rank = 0; rank < found->result.bytes.size(); ++rank)
      fits &= found->result.bytes[rank] <= machine.limitOf(rank);
    if (fits)
      return found;
    report = {.evaluations = report.evaluations, .unlimitedNs = found->result.stepNs, .isAborted = report.isAborted};
  }
  Limits within = limits;
  // Under limits plans are rarer, so the search gets twice the effort. Not tuned.
  within.effort *= 2;
  return Searcher(workloads, machine, within, report).run(known);
}

// All work and updates divided evenly among all ranks, at the speed of a rank when all compute.
int64_t plc::search::lowerBound(const std::vector<Workload> &workloads, const Machine &machine) {
  double least = std::numeric_limits<double>::infinity();
  for (const Workload &workload : workloads) {
    double all = 0;
    for (size_t unit = 0; unit < workload.units.size(); ++unit)
      for (int64_t ns : workload.unitNs[unit])
        all += double(ns) * double(workload.microBatches);
    for (const Parameter &each : workload.parameters)
      if (!each.sites.empty())
        all += machine.updateNs(double(workload.updatedBytes(each)));
    least = std::min(least, all / double(machine.ranks) / machine.speedOf(machine.ranks));
  }
  return int64_t(least);
}
