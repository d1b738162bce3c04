//===- Cuts.cpp - which algorithm cuts a graph ----------------------------===//
#include "CutBound.h"
#include "Ideals.h"
#include "PartEnds.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <set>

using namespace plc::planner;

namespace {

// Whether a is better than b: within the memory, faster, of a faster slowest stage.
struct Score {
  int64_t excessBytes = 0, slowestNs = 0, stageNs = 0;
  auto operator<=>(const Score &) const = default;
};

Score scoreOf(const PartitionProblem &problem, Partition &answer) {
  Score score;
  std::vector<PartitionProblem::Load> loads = problem.loadsOf(answer.stageOf);
  for (const auto &load : loads)
    score.stageNs = std::max(score.stageNs, load.ns);
  for (const auto &load : problem.sumByRank(loads)) {
    score.slowestNs = std::max(score.slowestNs, load.ns);
    if (problem.limitBytes)
      score.excessBytes = std::max(score.excessBytes, load.bytes() - problem.limitBytes);
  }
  answer.slowestNs = score.slowestNs;
  return score;
}

// The parts that `orders()` has ready, the least key first.
std::vector<int64_t> orderByKey(const PartitionProblem &problem,
                                const std::function<int64_t(int64_t part, int64_t step)> &key) {
  size_t parts = problem.parts.size();
  std::vector<std::vector<int64_t>> after(parts);
  std::vector<int64_t> missing(parts), order;
  for (auto [a, b] : problem.orders()) {
    after[a].push_back(b);
    ++missing[b];
  }
  std::set<std::pair<int64_t, int64_t>> ready;
  for (size_t part = 0; part < parts; ++part)
    if (!missing[part])
      ready.emplace(key(part, 0), part);
  while (!ready.empty()) {
    int64_t part = ready.begin()->second;
    ready.erase(ready.begin());
    order.push_back(part);
    for (int64_t next : after[part])
      if (--missing[next] == 0)
        ready.emplace(key(next, order.size()), next);
  }
  return order;
}

// In turn: as the parts are numbered; what became ready last first, so that branches are finished; what became ready
// first, level by level; what has the longest way to the end.
std::vector<std::vector<int64_t>> chooseOrders(const PartitionProblem &problem) {
  std::vector<std::vector<int64_t>> orders;
  orders.push_back(orderByKey(problem, [](int64_t, int64_t) { return 0; }));
  orders.push_back(orderByKey(problem, [](int64_t, int64_t step) { return -step; }));
  orders.push_back(orderByKey(problem, [](int64_t, int64_t step) { return step; }));
  std::vector<int64_t> way(problem.parts.size());
  std::vector<std::vector<int64_t>> after(problem.parts.size());
  for (auto [a, b] : problem.orders())
    after[a].push_back(b);
  for (auto part = orders[0].rbegin(); part != orders[0].rend(); ++part) {
    for (int64_t next : after[*part])
      way[*part] = std::max(way[*part], way[next]);
    way[*part] += problem.parts[*part].ns;
  }
  orders.push_back(orderByKey(problem, [&](int64_t part, int64_t) { return -way[part]; }));
  std::vector<std::vector<int64_t>> distinct;
  for (std::vector<int64_t> &order : orders)
    if (std::find(distinct.begin(), distinct.end(), order) == distinct.end())
      distinct.push_back(std::move(order));
  return distinct;
}

constexpr size_t mostReordered = 256; // parts
// What cuts along further orders look at in all, as `cutAlong` counts it: hundreds of orders where each stage has a rank, some
// where states of shared ranks are compared.
constexpr int64_t mostOrderWork = 30'000'000;

// Where ranks are shared, many orders with few states find better cuts than a few with many. Returns what it looked at.
int64_t cutOrder(const PartitionProblem &problem, const std::vector<int64_t> &order, Partition &answer) {
  Ideals ideals;
  ideals.takePrefixes(problem, order);
  answer.stageOf.assign(problem.parts.size(), 0);
  return cutAlong(problem, ideals, answer, fewStates);
}

// Orders that mix the parts of each stage, or of a few neighbouring ones: the best cut along one that keeps the stages
// apart is no worse, and the next order starts from it.
void improveByOrders(const PartitionProblem &problem, Partition &answer, Score &best) {
  constexpr int64_t apart = int64_t(1) << 32, mostTries = 512;
  int64_t work = 0;
  int64_t tries = std::clamp<int64_t>(mostTries * 16 / int64_t(problem.parts.size()), 32, mostTries);
  std::mt19937_64 random(1);
  for (int64_t idle = 0;
       idle < tries && work < mostOrderWork && (best.excessBytes || best.slowestNs > quickBound(problem)); ++idle) {
    std::vector<int64_t> keys;
    for (int64_t stage : answer.stageOf)
      keys.push_back(stage * apart + int64_t(random() % uint64_t(apart << idle % 5)));
    Partition found;
    work += cutOrder(problem, orderByKey(problem, [&](int64_t part, int64_t) { return keys[part]; }), found);
    improveByMoves(problem, found);
    Score score = scoreOf(problem, found);
    if (score > best)
      continue;
    idle = score < best ? -1 : idle; // what is as good is another start
    best = score;
    answer = found;
  }
}

} // namespace

Fault plc::planner::solvePartition(const PartitionProblem &problem, Partition &answer, size_t most) {
  if (Fault fault = problem.check())
    return fault;
  answer.stageOf.assign(problem.parts.size(), 0);
  Ideals ideals;
  if (ideals.enumerate(problem, most)) {
    cutAlong(problem, ideals, answer);
    answer.exact |= scoreOf(problem, answer).slowestNs == quickBound(problem);
    bool isChain = ideals.steps.size() == problem.parts.size() + 1;
    if (isChain && !answer.exact) {
      improveByMoves(problem, answer);
      answer.exact = answer.slowestNs == problem.bound();
    }
    if (isChain || answer.exact)
      return problem.verify(answer);
  }
  std::optional<Score> best;
  if (!ideals.steps.empty() && ideals.size.back() == int64_t(problem.parts.size()))
    best = scoreOf(problem, answer);
  for (const std::vector<int64_t> &order : chooseOrders(problem)) {
    Partition found;
    cutOrder(problem, order, found);
    improveByMoves(problem, found);
    if (Score score = scoreOf(problem, found); !best || score < *best) {
      best = score;
      answer = found;
    }
  }
  if (problem.parts.size() <= mostReordered)
    improveByOrders(problem, answer, *best);
  // The whole bound of a large graph takes as long as its cuts; whoever prints a gap asks for it.
  answer.exact = best->slowestNs == quickBound(problem) && !best->excessBytes;
  return problem.verify(answer);
}
