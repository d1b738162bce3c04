//===- RetentionExact.cpp - a window that is the whole problem ------------===//
#include "RetentionWindow.h"

using namespace plc::planner;

Fault plc::planner::solveRetentionExactly(const RetentionProblem &problem, int64_t states, Retention &answer,
                                          bool &found) {
  found = false;
  if (Fault fault = problem.check())
    return fault;
  answer = {};
  bool isAlone = problem.inFlight == 1 || (problem.firstBackward() == 0 && !problem.splitsBackward);
  if (!isAlone)
    return std::nullopt;
  WindowEffort effort{states};
  WindowEnd end = searchWindow(problem, answer, {0, int64_t(problem.calls.size())}, effort);
  if (end == WindowEnd::TooLarge)
    return std::nullopt;
  found = end == WindowEnd::Found;
  return found ? problem.verify(answer) : Fault(problem.doesNotFit(problem.peakOf({})));
}
