//===- RetentionSearch.cpp - the best of several ways to an answer --------===//
#include "RetentionMoves.h"
#include "RetentionPrices.h"
#include "RetentionWindow.h"

#include <algorithm>

using namespace plc::planner;

// What gets more effort.
static bool isSmall(const RetentionProblem &problem) { return problem.calls.size() <= 80; }

// What fits the fewest bytes, what prices make of the better of two starts, and what annealing makes of that start and of what
// prices made: the best of it that fits, on small problems rather the nearest that do not, whose time is too good. Small problems are walked several
// times, and start once from the bare problem.
static std::vector<Retention> findStarts(const RetentionProblem &problem, const RetentionEffort &effort,
                                         int64_t boundNs, const RetentionFloor &floor) {
  RetentionState state(problem), chain(problem);
  dropGreedily(state);
  polish(state);
  auto isWithin = [&](int64_t part) {
    return state.excess() == 0 && state.addedNs() - boundNs <= (problem.baseNs() + boundNs) / part;
  };
  // Where the first start is at the bound but for a five-hundredth of the time, the second is not worth its search.
  bool isNear = isWithin(500);
  if (!isNear && checkpointChain(chain) && (state.excess() > 0 || chain.addedNs() < state.addedNs()))
    state.load(chain.answer());
  Retention start = state.answer();
  int64_t slots = std::max<int64_t>(state.numSlots(), 1);
  int64_t rounds = std::clamp<int64_t>(4'000'000 / (slots * slots), 20, 400) / effort.sharers;
  // Nor are prices where what is left is little, and effort is shared.
  bool isEnough = effort.sharers > 2 && !isSmall(problem) && isWithin(48);
  std::vector<Retention> starts = priceBytes(state, isEnough ? 0 : std::max<int64_t>(rounds, 8), boundNs);
  int64_t steps = effort.annealingSteps;
  if (steps < 0)
    steps = std::clamp<int64_t>(50'000'000 / slots, 20'000, 200'000) / effort.sharers;
  // A walk of some 100 calls needs all the steps that there are.
  int64_t walks = isSmall(problem) ? 4 : 2;
  if (!isSmall(problem) && slots <= 160)
    steps *= walks;
  size_t priced = starts.size();
  for (int64_t walk = 0; walk < walks; ++walk) {
    state.load(walk % 2 == 0 ? start : starts[std::min<size_t>(isSmall(problem) ? (walk + 1) / 2 : 0, priced - 1)]);
    // A step takes as long as there are runs in a slot, and clones crowd in some of these.
    int64_t crowd = state.numClones() * state.numClones() / (slots * slots);
    anneal(state, steps / walks / (1 + crowd), boundNs, walk + 1);
    polish(state);
    starts.push_back(state.answer());
  }
  if (isSmall(problem))
    starts.emplace_back();
  if (floor.answer)
    starts.insert(starts.begin(), *floor.answer);
  return starts;
}

// The best of what the starts become, repaired and improved, and of what beams make of it; the nearest of them if none fits.
// What one start leaves of the effort is the next ones'.
static Retention findBest(const RetentionProblem &problem, const RetentionEffort &effort, const RetentionToGo &toGo,
                          int64_t boundNs, const RetentionFloor &floor, int64_t &ns) {
  std::vector<Retention> starts = findStarts(problem, effort, boundNs, floor);
  Retention best = starts[0];
  ns = INT64_MAX;
  int64_t left = effort.windowStates * (isSmall(problem) ? 3 : 1) / effort.haste;
  for (size_t at = 0; at < starts.size() && ns > boundNs; ++at) {
    Retention &each = starts[at];
    // A repair rarely makes an answer cheaper.
    bool fits = problem.peakOf(each).bytes <= problem.budgetBytes;
    if (!fits && (problem.addedNs(each) >= ns ||
                  !repairByWindows(problem, each, (isSmall(problem) ? 10'000 : 2'000) / effort.haste)))
      continue;
    int64_t share = left / int64_t(starts.size() - at);
    left -= share - std::max<int64_t>(improveByWindows(problem, each, share), 0);
    if (int64_t added = problem.addedNs(each); added < ns) {
      ns = added;
      best = std::move(each);
    }
  }
  if (ns > boundNs &&
      improveByBeams(problem, best, toGo, effort.beamStates / (isSmall(problem) ? 1 : 2) / effort.haste))
    ns = problem.addedNs(best);
  return best;
}

// Of the answers that add as little the one that holds least, as far as `states` tell. So where the least times are found,
// a smaller budget never holds more or adds less than a larger one: it is met by the same answer, or by none that adds as
// little.
static void holdLeast(const RetentionProblem &problem, Retention &answer, int64_t states) {
  RetentionProblem each = problem;
  WindowEffort effort{states};
  effort.belowNs = problem.addedNs(answer) + 1;
  do
    each.budgetBytes = problem.peakOf(answer).bytes - 1;
  while (searchWhole(each, answer, effort) == WindowEnd::Found);
}

static Fault refuse(const RetentionProblem &problem, const RetentionProblem::Peak &peak,
                    RetentionProblem::Peak *lacking) {
  if (lacking)
    *lacking = peak;
  return problem.doesNotFit(peak);
}

Fault plc::planner::solveRetention(const RetentionProblem &problem, Retention &answer, const RetentionEffort &effort,
                                   RetentionProblem::Peak *lacking, const RetentionFloor *known) {
  if (Fault fault = problem.check())
    return fault;
  answer = {};
  if (problem.peakOf(answer).bytes <= problem.budgetBytes)
    return std::nullopt;
  RetentionFloor floor = known ? *known : retentionFloor(problem, problem.budgetBytes);
  if (floor.least.bytes > problem.budgetBytes)
    return refuse(problem, floor.least, lacking);
  WindowEffort little{effort.exactStates / 32};
  if (searchWhole(problem, answer, little) == WindowEnd::Found) {
    holdLeast(problem, answer, little.states);
    return problem.verify(answer);
  }
  RetentionProblem::Peak least;
  RetentionToGo toGo;
  std::optional<int64_t> bound =
      boundRetention(problem, isSearchedWhole(problem) ? &toGo : nullptr, &least, effort.haste);
  if (!bound)
    return refuse(problem, least, lacking);
  WindowEffort much{effort.exactStates / (isSmall(problem) ? 4 : 16) / effort.haste};
  much.toGo = &toGo;
  answer = findBest(problem, effort, toGo, *bound, floor, much.belowNs);
  if (much.belowNs > *bound)
    searchWhole(problem, answer, much);
  if (RetentionProblem::Peak peak = problem.peakOf(answer); peak.bytes > problem.budgetBytes)
    return refuse(problem, peak, lacking);
  holdLeast(problem, answer, little.states);
  return problem.verify(answer);
}

std::vector<RetentionPoint> plc::planner::solveRetentionCurve(const RetentionProblem &problem, int64_t points) {
  std::vector<RetentionPoint> curve;
  RetentionProblem each = problem;
  int64_t most = problem.peakOf({}).bytes, least = retentionFloor(problem, 0).least.bytes;
  for (int64_t point = 0; point <= points; ++point) {
    each.budgetBytes = most - (most - least) * point / points;
    Retention answer;
    if (solveRetention(each, answer))
      break;
    int64_t bytes = each.peakOf(answer).bytes;
    if (curve.empty() || bytes < curve.back().bytes)
      curve.push_back({bytes, each.addedNs(answer), 0, std::move(answer)});
  }
  for (size_t at = curve.size(); at-- > 1;)
    if (curve[at].addedNs <= curve[at - 1].addedNs)
      curve.erase(curve.begin() + at - 1); // more bytes for no less time
  for (RetentionPoint &point : curve) {
    each.budgetBytes = point.bytes;
    point.boundNs = retentionBound(each).value_or(0);
  }
  return curve;
}
