//===- RetentionExact.cpp - a window that is the whole problem ------------===//
#include "RetentionScope.h"

using namespace plc::planner;

static bool isSearchable(const RetentionGround &ground) {
  const RetentionProblem &problem = ground.problem;
  bool isAlone = problem.inFlight == 1 || (problem.firstBackward() == 0 && !problem.splitsBackward);
  return isAlone && ground.numLoose() <= RetentionScope::room;
}

bool plc::planner::isSearchedWhole(const RetentionProblem &problem) { return isSearchable(RetentionGround(problem)); }

WindowEnd plc::planner::searchWhole(const RetentionProblem &problem, Retention &answer, WindowEffort &effort) {
  RetentionGround ground(problem);
  return isSearchable(ground) ? searchWindow(ground, answer, {0, int64_t(problem.calls.size())}, effort)
                              : WindowEnd::TooLarge;
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
  return found ? problem.verify(answer) : Fault(problem.doesNotFit(retentionFloor(problem, problem.budgetBytes).least));
}

std::optional<bool> plc::planner::isLeastAdded(const RetentionProblem &problem, int64_t ns, int64_t states) {
  WindowEffort effort{states};
  effort.belowNs = ns;
  Retention answer;
  WindowEnd end = searchWhole(problem, answer, effort);
  return end == WindowEnd::TooLarge ? std::nullopt : std::optional<bool>(end == WindowEnd::None);
}
