//===- RetentionBeams.cpp - an answer made better by beams ----------------===//
#include "RetentionScope.h"

using namespace plc::planner;

bool plc::planner::improveByBeams(const RetentionProblem &problem, Retention &answer, const RetentionToGo &toGo,
                                  int64_t states) {
  RetentionToGo other;
  bool better = false, fits = problem.peakOf(answer).bytes <= problem.budgetBytes;
  for (int64_t part : {100, 98, 95}) {
    if (part < 100) {
      RetentionProblem less = problem;
      less.budgetBytes = problem.budgetBytes / 100 * part;
      other = priceRetention(less, 500, problem.addedNs(answer), INT64_MAX);
    }
    for (int64_t width : {10, 30, 100}) {
      WindowEffort effort{states, WindowGoal::Beam};
      effort.toGo = part < 100 ? &other : &toGo;
      effort.beamWidth = width;
      effort.guide = fits ? &answer : nullptr;
      effort.belowNs = fits ? problem.addedNs(answer) : INT64_MAX;
      Retention trial;
      if (searchWhole(problem, trial, effort) == WindowEnd::Found) {
        answer = std::move(trial);
        better = fits = true;
      }
      states -= effort.spent;
      if (effort.spent == 0 || states <= 0)
        return better;
    }
  }
  return better;
}
