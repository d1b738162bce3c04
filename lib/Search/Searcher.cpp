//===- Searcher.cpp - starts, then one neighbourhood search ---------------===//
#include "Searcher.h"

#include <algorithm>
#include <cmath>

using namespace plc::search;

namespace {

/// What a byte above the limits costs, as a fraction of the step for a plan that is over by all of its limit: of starts, and
/// the range in which the search moves it.
constexpr double startPenalty = 6, leastPenalty = 0.3, mostPenalty = 30;
/// Accepted above the present cost at the begin of a search, as a fraction; it falls to 0. Measured on GPTs of 2 to 8 ranks
/// from 0.002 to 0.02: within 0.3 % of each other.
constexpr double hottest = 0.006;
/// Plans whose steps differ by less are equally fast, and the one that takes fewer bytes is better: a tenth of what predictions are off by
/// (`bench/prediction.py`: 3 to 6 %).
constexpr double fewerBytes = 1.0025;
/// From which a search under lower limits goes on.
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
  asFast = isOn("fewer bytes") ? fewerBytes : 1;
  mayCut = limits.stageOf.empty();
  mayMap = mayOrder && mayCut && limits.rankOf.empty() && !limits.stages && !limits.chunks;
}

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
  if (!orderByFamily(*each.tasks, workload, *limits.schedule, limits.file ? &*limits.file : nullptr, each.plan))
    return true;
  // On one rank all orders are one, also of schedules that want several stages on each.
  if (each.plan.ranks() > 1)
    return false;
  orderByPattern(*each.tasks, {}, runsOf(each.plan), each.plan);
  return true;
}

bool Searcher::assess(Candidate &each, double most, double penalty) {
  if (!each.tasks)
    makeTasks(each);
  each.cost = std::numeric_limits<double>::infinity();
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
    if (!lean || double(lean->result.stepNs) > double(best->result.stepNs) * asFast)
      lean = best;
    else if (double(each.result.stepNs) <= double(best->result.stepNs) * asFast && mostBytes(each) < mostBytes(*lean))
      lean = each;
  } else if (!best && (!nearest || each.result.overBytes < nearest->result.overBytes)) {
    nearest = each;
  }
  return true;
}

// What an evaluation counts: tasks are visited twice, and each message is two posts and two waits. Plans that are cut off are not played.
int64_t Searcher::actionsOf(const Candidate &each) const {
  int64_t tasks = 0;
  for (const auto &row : each.plan.order)
    tasks += int64_t(row.size());
  return tasks * 2 + (each.result.ends ? int64_t(each.tasks->routes.size()) * runsOf(each.plan) * 4 : 0);
}

// The best of each number of micro-batches and rank map, then the next best.
std::vector<Candidate> Searcher::choosePool(std::vector<Candidate> &starts) {
  constexpr double near = 1.15; // no search has made up for more
  constexpr size_t size = 16;
  std::vector<Candidate> pool;
  std::map<FrameKey, int> seen;
  // With help it may be faster than those that need none; and a frame's promise may be all that there was effort for.
  if (best && (starts.empty() || best->cost > starts.front().cost * near))
    pool.push_back(*best);
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

void Searcher::anneal(Candidate &start, int64_t units) {
  double penalty = 3;
  Candidate now = start;
  int64_t from = spent;
  for (int64_t step = 1; spent - from < units; ++step) {
    if (step % 64 == 0 && isOver())
      return;
    double heat = hottest * (1 - double(spent - from) / double(units));
    if (hasBudget() && step % 32 == 0)
      penalty = std::clamp(now.result.overBytes ? penalty * 1.2 : penalty / 1.2, leastPenalty, mostPenalty);
    const Move &move = drawMove();
    Candidate next = now;
    spent += 8; // so that moves that find nothing end, too
    if (!(this->*move.make)(next) || !orderAnew(next))
      continue;
    if (!assess(next, guideOf(now.result, penalty) * (1 + heat), penalty))
      continue;
    now = std::move(next);
    if (now.cost < start.cost)
      start = now;
  }
}

std::optional<Found> Searcher::run(const std::vector<PlanSpec> &known) {
  std::vector<Candidate> starts = makeStarts(known);
  std::stable_sort(starts.begin(), starts.end(), isCheaper);
  if (!best) // none fits: those that lack the fewest bytes lead to plans that do
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
  // Small plans are cheap: what more of them would find is left, so that toys are planned in a moment.
  constexpr int64_t mostEvaluations = 30'000;
  int64_t effort = limits.effort;
  if (!pool.empty())
    effort = std::min(effort, spent + mostEvaluations *
                                          (actionsOf(pool.front()) + int64_t(workloadOf(pool.front()).calls.size())));
  // Successive halving: Jamieson and Talwalkar, "Non-stochastic best arm identification", 2016.
  while (!moves.empty() && !pool.empty() && !isOver()) {
    auto rounds = size_t(std::ceil(std::log2(double(pool.size())))) + 1;
    int64_t slice = (effort - spent) / int64_t(rounds) / int64_t(pool.size());
    for (Candidate &each : pool)
      anneal(each, slice);
    std::stable_sort(pool.begin(), pool.end(), isCheaper);
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
  within.effort *= 2;
  return Searcher(workloads, machine, within, report).run(known);
}

// All work divided evenly.
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
