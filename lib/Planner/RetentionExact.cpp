//===- RetentionExact.cpp - a window that is the whole problem ------------===//
#include "RetentionWindow.h"

using namespace plc::planner;

WindowEnd plc::planner::searchWhole(const RetentionProblem &problem, Retention &answer, WindowEffort &effort) {
  bool isAlone = problem.inFlight == 1 || (problem.firstBackward() == 0 && !problem.splitsBackward);
  return isAlone ? searchWindow(problem, answer, {0, int64_t(problem.calls.size())}, effort) : WindowEnd::TooLarge;
}

RetentionProblem::Peak plc::planner::leastPeak(const RetentionProblem &problem, int64_t states) {
  RetentionProblem each = problem;
  RetentionProblem::Peak least = problem.peakOf({});
  for (int64_t low = problem.workingSet().bytes; low < least.bytes;) {
    each.budgetBytes = low + (least.bytes - low) / 2;
    WindowEffort effort{states, WindowGoal::Any};
    Retention answer;
    if (searchWhole(each, answer, effort) == WindowEnd::Found)
      least = each.peakOf(answer);
    else
      low = each.budgetBytes + 1;
  }
  return least;
}

Fault plc::planner::solveRetentionExactly(const RetentionProblem &problem, int64_t states, Retention &answer,
                                          bool &found) {
  found = false;
  if (Fault fault = problem.check())
    return fault;
  answer = {};
  WindowEffort effort{states};
  WindowEnd end = searchWhole(problem, answer, effort);
  if (end == WindowEnd::TooLarge)
    return std::nullopt;
  found = end == WindowEnd::Found;
  return found ? problem.verify(answer) : Fault(problem.doesNotFit(leastPeak(problem, states)));
}

std::optional<bool> plc::planner::isLeastAdded(const RetentionProblem &problem, int64_t ns, int64_t states) {
  WindowEffort effort{states};
  effort.belowNs = ns;
  Retention answer;
  WindowEnd end = searchWhole(problem, answer, effort);
  return end == WindowEnd::TooLarge ? std::nullopt : std::optional<bool>(end == WindowEnd::None);
}
