//===- RetentionSearch.cpp - the best of several ways to an answer --------===//
#include "RetentionMoves.h"

#include <algorithm>

using namespace plc::planner;

Fault plc::planner::solveRetention(const RetentionProblem &problem, Retention &answer, const RetentionEffort &effort) {
  if (Fault fault = problem.check())
    return fault;
  answer = {};
  if (RetentionProblem::Peak peak = problem.workingSet(); peak.bytes > problem.budgetBytes)
    return problem.doesNotFit(peak);
  if (problem.peakOf(answer).bytes <= problem.budgetBytes)
    return std::nullopt;
  bool exact = false;
  if (Fault fault = solveRetentionExactly(problem, effort.exactStates, answer, exact); fault || exact)
    return fault;
  RetentionProblem::Peak least;
  std::optional<int64_t> bound = retentionBound(problem, &least);
  if (!bound)
    return problem.doesNotFit(least);
  // The better of two starts.
  RetentionState state(problem), chain(problem);
  dropGreedily(state);
  polish(state);
  if (checkpointChain(chain) && (state.excess() > 0 || chain.addedNs() < state.addedNs()))
    state.load(chain.answer());
  int64_t steps = effort.annealingSteps;
  if (steps < 0)
    steps = std::clamp<int64_t>(50'000'000 / std::max<int64_t>(state.numSlots(), 1), 20'000, 200'000);
  anneal(state, steps, *bound);
  polish(state);
  answer = state.answer();
  Fault fault = problem.verify(answer);
  if (!fault)
    return std::nullopt;
  // Where hardly anything fits, calls may have to run twice before the same one, which no state above says.
  Retention other;
  if (solveRetentionExactly(problem, 20 * effort.exactStates, other, exact) || !exact)
    return fault;
  answer = std::move(other);
  return std::nullopt;
}

std::vector<RetentionPoint> plc::planner::solveRetentionCurve(const RetentionProblem &problem, int64_t points) {
  std::vector<RetentionPoint> curve;
  RetentionProblem each = problem;
  int64_t most = problem.peakOf({}).bytes, least = problem.workingSet().bytes;
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
