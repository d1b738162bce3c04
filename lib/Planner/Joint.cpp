//===- Joint.cpp - search over whole plans ----------------------------------===//
#include "plc/Planner/Joint.h"

#include "plc/Planner/CutsBeside.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

using namespace plc::planner;

std::vector<int64_t> JointChoice::place() const {
  switch (placing) {
  case JointPlacing::bySchedule: return placeStages(plc::rowOf(schedule).placement, stages(), chunks);
  case JointPlacing::vee: return placeStages(Placement::vee, stages(), chunks);
  case JointPlacing::wrapped: break;
  }
  std::vector<int64_t> place(stages());
  std::iota(place.begin(), place.end(), 0);
  place.back() = 0;
  return place;
}

namespace {

class Search {
public:
  Search(JointProblem &problem, JointAnswer &answer) : problem(problem), answer(answer) {}

  Fault run() {
    for (const JointChoice &choice : problem.choices())
      add(choice);
    if (rows.empty())
      return noPlanFits("there is nothing to choose from");
    orderAll();
    improveNear(bestAt(JointRow::order));
    Fault fault = planBest();
    // Also a failed search shows what it has seen.
    auto rank = [&](const JointRow &row) { return std::pair(!row.estimate.refusal.empty(), expectedNs(row)); };
    std::stable_sort(rows.begin(), rows.end(), [&](const JointRow &a, const JointRow &b) { return rank(a) < rank(b); });
    answer.rows = std::move(rows);
    return fault;
  }

private:
  // The work is asked for once for each number of micro-batches.
  void add(const JointChoice &choice) {
    auto [it, isNew] = works.try_emplace(choice.microBatches);
    if (isNew)
      it->second = problem.work(choice.microBatches);
    JointRow row{choice, JointRow::work, it->second};
    row.estimate.ns = (row.estimate.ns + choice.allRanks() - 1) / choice.allRanks();
    rows.push_back(row);
  }

  // The open row of a depth below `depth` that may be the fastest; null if every such row is slower than the best one at
  // `depth`. Of ranks and micro-batches, shared in one way, that have as many plans as they may, no row is open.
  JointRow *next(JointRow::Depth depth) {
    auto isClosed = [&](const JointRow &row) {
      return !row.estimate.refusal.empty() || (row.depth < depth && plans[ranksOf(row.choice)] >= mostPlans);
    };
    JointRow *best = nullptr;
    int64_t bestNs = 0;
    for (JointRow &row : rows) {
      if (isClosed(row))
        continue;
      int64_t ns = expectedNs(row);
      if (!best || ns < bestNs || (ns == bestNs && row.depth > best->depth)) {
        best = &row;
        bestNs = ns;
      }
    }
    return best && best->depth < depth ? best : nullptr;
  }

  // What is not planned takes beyond its order what plans that exchange about as much do: half of it, as another schedule may
  // hide more.
  int64_t expectedNs(const JointRow &row) const {
    auto it = row.depth < JointRow::plan ? exchange.find(exchangeOf(row.choice)) : exchange.end();
    return row.estimate.ns + (it == exchange.end() ? 0 : it->second / 2);
  }

  void learn(const JointChoice &choice, int64_t beyondNs) {
    auto [it, isNew] = exchange.try_emplace(exchangeOf(choice), beyondNs);
    it->second = std::min(it->second, beyondNs);
  }

  // Adds a row for the order that is searched, where ranks share stages.
  void setOrder(JointRow &row) {
    orderOf(row);
    if (!row.estimate.refusal.empty())
      return;
    if (row.choice.stages() > 1)
      unimproved.push_back(row);
    JointPlacing placing = placingOf(row.choice);
    if (row.choice.shards > 1 && isNewSearch(row.choice, placing))
      rows.push_back({automaticOf(row.choice, placing), JointRow::work, {row.estimate.leastNs}});
  }

  void orderOf(JointRow &row) {
    row.depth = JointRow::order;
    row.estimate = problem.order(row.choice);
  }

  void orderAll() {
    while (JointRow *row = next(JointRow::order))
      setOrder(*row);
  }

  // Whether an order may be searched for these numbers and was not yet.
  bool isNewSearch(const JointChoice &choice, JointPlacing placing) {
    return choice.schedule != ScheduleKind::automatic && problem.maySearchOrder(choice) &&
           searches.emplace(choice.microBatches, choice.replicas, choice.ranks, choice.shards, choice.chunks, placing)
               .second;
  }

  // Of the rows that were looked at so far and not refused; the largest number if there is none.
  int64_t bestAt(JointRow::Depth depth) const {
    int64_t best = std::numeric_limits<int64_t>::max();
    for (const JointRow &row : rows)
      if (row.depth == depth && row.estimate.refusal.empty())
        best = std::min(best, row.estimate.ns);
    return best;
  }

  // Beside the orders that are near `bestNs` stand those of moved borders, and searched ones, if they are faster. Whether there are any.
  bool improveNear(int64_t bestNs) {
    std::stable_sort(unimproved.begin(), unimproved.end(),
                     [&](const JointRow &a, const JointRow &b) { return expectedNs(a) < expectedNs(b); });
    auto end = std::find_if(unimproved.begin(), unimproved.end(),
                            [&](const JointRow &row) { return expectedNs(row) * 100 > bestNs * (100 + joinNear); });
    std::vector<JointRow> near(unimproved.begin(), end);
    unimproved.erase(unimproved.begin(), end);
    size_t known = rows.size();
    for (const JointRow &row : near)
      improve(row);
    return rows.size() > known;
  }

  void improve(const JointRow &row) {
    bool moves = problem.mayMove(), isSearched = row.choice.schedule == ScheduleKind::automatic;
    std::vector<std::vector<int64_t>> all;
    if (moves)
      all = balancesOf(row);
    JointRow found = row;
    if (isSearched && !all.empty())
      searchBeside(found, all);
    else if (!all.empty())
      found = fastestOf(row, all);
    else if (moves && (!isSearched || !problem.maySearchOrder(row.choice))) // else every step is a search
      found = descend(row);
    if (!(found.choice == row.choice))
      rows.push_back(found);
    if (all.empty() && !found.choice.balance.empty()) // borders that were moved for a shape need not be better
      all = {row.estimate.balance};
    for (JointPlacing placing : {placingOf(row.choice), row.choice.placing})
      searchNear(found, placing, all);
  }

  void searchNear(const JointRow &row, JointPlacing placing, const std::vector<std::vector<int64_t>> &balances) {
    if (!isNewSearch(row.choice, placing))
      return;
    JointRow ordered = searched(row.choice, placing);
    if (!ordered.estimate.refusal.empty())
      return;
    searchBeside(ordered, balances);
    if (ordered.estimate.ns < row.estimate.ns)
      rows.push_back(ordered);
  }

  JointRow searched(const JointChoice &choice, JointPlacing placing) {
    JointRow row{automaticOf(choice, placing), JointRow::work, {}};
    orderOf(row);
    return row;
  }

  static JointChoice automaticOf(JointChoice choice, JointPlacing placing) {
    choice.placing = placing;
    choice.schedule = ScheduleKind::automatic;
    return choice;
  }
  // In the same places.
  static JointPlacing placingOf(const JointChoice &choice) {
    bool isVee = choice.chunks > 1 && plc::rowOf(choice.schedule).placement == Placement::vee;
    return isVee ? JointPlacing::vee : choice.placing;
  }

  // All borders between as many stages, where these are few; else none.
  static std::vector<std::vector<int64_t>> balancesOf(const JointRow &row) {
    const std::vector<int64_t> &balance = row.estimate.balance;
    std::vector<std::vector<int64_t>> found, partial{{}};
    int64_t layers = std::accumulate(balance.begin(), balance.end(), int64_t(0));
    if (balance.empty() || layers > fewLayers)
      return {};
    for (size_t stage = 0; stage < balance.size(); ++stage, partial = std::move(found), found.clear())
      for (const std::vector<int64_t> &before : partial) {
        int64_t left = std::accumulate(before.begin(), before.end(), layers, std::minus<>()),
                behind = balance.size() - stage - 1;
        for (int64_t count = behind ? 1 : left; count <= left - behind; ++count) {
          found.push_back(before);
          found.back().push_back(count);
          if (int64_t(found.size()) > mostBalances)
            return {};
        }
      }
    return partial;
  }

  JointRow fastestOf(JointRow row, const std::vector<std::vector<int64_t>> &balances) {
    for (const std::vector<int64_t> &balance : balances)
      takeFaster(balance, row);
    return row;
  }

  // Borders that are good for an order that follows a shape need not be for the one that is searched for.
  void searchBeside(JointRow &best, const std::vector<std::vector<int64_t>> &balances) {
    std::vector<std::pair<int64_t, JointChoice>> others; // by what no order undercuts
    for (const std::vector<int64_t> &balance : balances) {
      JointChoice other = best.choice;
      other.balance = balance;
      other.schedule = ScheduleKind::zeroBubbleH1; // whose tasks are those of the searched order
      JointEstimate estimate = problem.order(other);
      if (estimate.refusal.empty() && other.balance != best.estimate.balance)
        others.emplace_back(estimate.leastNs, other);
    }
    std::sort(others.begin(), others.end());
    int64_t jobsLeft = mostJobs;
    for (auto &[leastNs, other] : others) {
      int64_t jobs = other.stages() * other.shards * other.microBatches / other.replicas * 3;
      if (leastNs >= best.estimate.ns || jobs > jobsLeft)
        break;
      jobsLeft -= jobs;
      JointRow ordered = searched(other, other.placing);
      if (ordered.estimate.refusal.empty() && ordered.estimate.ns < best.estimate.ns)
        best = ordered;
    }
  }

  // Takes a row's order with other borders, if it is faster.
  bool takeFaster(const std::vector<int64_t> &balance, JointRow &row) {
    JointRow other{row.choice, JointRow::order, {}};
    other.choice.balance = balance;
    other.estimate = problem.order(other.choice);
    if (!other.estimate.refusal.empty() || other.estimate.ns >= row.estimate.ns)
      return false;
    row = other;
    return true;
  }

  // Takes a layer call from a stage and gives it to another, which moves all borders between them, as long as the order is
  // faster for it: first to neighbours, then farther.
  JointRow descend(JointRow row) {
    size_t stages = row.estimate.balance.size(), reach = pairsReach(stages);
    for (size_t apart = 1; apart < reach;) {
      bool moved = false;
      for (size_t stage = 0; stage + apart < stages; ++stage)
        for (int64_t by : {-1, 1}) {
          std::vector<int64_t> trial = row.estimate.balance;
          trial[stage] += by;
          trial[stage + apart] -= by;
          if (trial[stage] >= 1 && trial[stage + apart] >= 1)
            moved |= takeFaster(trial, row);
        }
      apart = moved ? 1 : apart + 1;
    }
    return row;
  }

  Fault planBest() {
    JointRow *best = fastestThorough();
    if (!best && problem.isHasty()) {
      std::vector<JointRow *> nearest = lackFewest();
      nearest.resize(std::min<size_t>(nearest.size(), mostNearest));
      for (JointRow *row : nearest)
        if (row->estimate.missingBytes)
          replace(*row, problem.planWidely(row->choice));
      best = fastestThorough();
    }
    if (best && problem.isHasty() && findFew(best->estimate.ns))
      best = fastestThorough();
    // Plans take longer than orders, so that others may be near.
    while (best && improveNear(best->estimate.ns))
      best = fastestThorough();
    if (!best) {
      std::vector<JointRow *> nearest = lackFewest();
      answer.chosen = nearest.empty() ? rows.front() : *nearest.front();
      return Reason(answer.chosen.estimate.refusal, /*isNoPlan=*/true);
    }
    answer.chosen = *best;
    return std::nullopt;
  }

  // Looks wider for those that lack few bytes and may be faster than the best plan; whether there were any.
  bool findFew(int64_t bestNs) {
    int64_t left = mostNearest;
    for (JointRow *row : lackFewest())
      if (row->estimate.missingBytes && row->estimate.missingBytes <= problem.fewBytes() && row->estimate.ns < bestNs &&
          left-- > 0)
        replace(*row, problem.planWidely(row->choice));
    return left < mostNearest;
  }

  // Plans made with all effort may take longer than they did in haste, and then others may be faster.
  JointRow *fastestThorough() {
    planOpen();
    JointRow *best = fastest();
    for (; best && problem.isHasty() && !best->isThorough; best = fastest()) {
      best->isThorough = true;
      replace(*best, problem.planThoroughly(best->choice));
      planOpen();
    }
    return best;
  }

  void planOpen() {
    while (JointRow *row = next(JointRow::plan)) {
      if (row->depth == JointRow::work) { // slower orders than the best one were left out until now
        setOrder(*row);
        continue;
      }
      JointEstimate order = row->estimate, estimate = problem.plan(row->choice, bestAt(JointRow::plan));
      if (estimate.isGivenUp) {
        row->estimate.ns = std::max(order.ns, estimate.ns);
        row->estimate.isGivenUp = true;
        continue;
      }
      row->depth = JointRow::plan;
      row->estimate = estimate;
      if (estimate.refusal.empty()) {
        ++plans[ranksOf(row->choice)];
        if (!problem.isHasty() && !row->choice.recomputes) // else it is more than what is exchanged
          learn(row->choice, std::max<int64_t>(estimate.ns - order.ns, 0));
        continue;
      }
      row->estimate.ns = order.ns;
      answer.hitsMemory = answer.hitsMemory || estimate.lacksMemory;
      if (estimate.lacksMemory && problem.mayRecompute() && !row->choice.recomputes) {
        JointRow again{row->choice, JointRow::order, order};
        again.choice.recomputes = true;
        rows.push_back(again);
      }
    }
  }

  // Of those that are planned; null if all are refused.
  JointRow *fastest() {
    JointRow *best = nullptr;
    for (JointRow &row : rows)
      if (row.depth == JointRow::plan && row.estimate.refusal.empty() && (!best || row.estimate.ns < best->estimate.ns))
        best = &row;
    return best;
  }

  // One that is refused keeps its place in the table.
  static void replace(JointRow &row, const JointEstimate &estimate) {
    int64_t ns = row.estimate.ns;
    row.estimate = estimate;
    if (!estimate.refusal.empty())
      row.estimate.ns = ns;
  }

  // Those that were refused as whole plans, those first that lack the fewest bytes, as far as that is known.
  std::vector<JointRow *> lackFewest() {
    std::vector<JointRow *> refused;
    for (JointRow &row : rows)
      if (row.depth == JointRow::plan && !row.estimate.refusal.empty())
        refused.push_back(&row);
    auto lacks = [](const JointRow *row) {
      int64_t bytes = row->estimate.missingBytes;
      return bytes ? bytes : std::numeric_limits<int64_t>::max();
    };
    std::stable_sort(refused.begin(), refused.end(),
                     [&](const JointRow *a, const JointRow *b) { return lacks(a) < lacks(b); });
    return refused;
  }

  // Choices that are alike in it exchange about as much beside what their orders know. How much of it is hidden where ranks share
  // stages depends on the order as well.
  using Exchange = std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, std::optional<ScheduleKind>>;
  static Exchange exchangeOf(const JointChoice &choice) {
    std::optional<ScheduleKind> schedule;
    if (choice.shards > 1)
      schedule = choice.schedule;
    return {choice.microBatches, choice.replicas, choice.shards, choice.ranks, choice.stages(), schedule};
  }
  static std::tuple<int64_t, int64_t, int64_t, int64_t> ranksOf(const JointChoice &choice) {
    return {choice.microBatches, choice.replicas, choice.shards, choice.ranks};
  }

  // Layers up to which all borders are tried, if they are not more than so many, and jobs of the orders that are searched for others
  // than the best one.
  static constexpr int64_t fewLayers = 12, mostBalances = 64, mostJobs = 400;

  JointProblem &problem;
  JointAnswer &answer;
  std::vector<JointRow> rows;
  std::vector<JointRow> unimproved; // orders
  std::map<int64_t, JointEstimate> works;
  // What orders were searched for: micro-batches, replicas, ranks, shards, chunks, places.
  std::set<std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, JointPlacing>> searches;
  std::map<std::tuple<int64_t, int64_t, int64_t, int64_t>, int64_t> plans; // that there are, by `ranksOf`
  std::map<Exchange, int64_t> exchange; // the least that a plan took beyond its order
};

} // namespace

Fault plc::planner::solveJoint(JointProblem &problem, JointAnswer &answer) { return Search(problem, answer).run(); }
