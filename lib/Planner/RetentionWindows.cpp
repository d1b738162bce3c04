//===- RetentionWindows.cpp - an answer made better window by window ------===//
#include "RetentionWindow.h"

#include <algorithm>

using namespace plc::planner;

namespace {

// Where what other micro-batches hold is counted no window may lie on both sides, as the count is not its own.
class Cuts {
public:
  explicit Cuts(const RetentionProblem &problem) : count(problem.calls.size()) {
    if (problem.inFlight > 1)
      places = {problem.firstBackward(), problem.firstAwaitedW()};
  }

  // The calls around one, as far as there are and the window does not reach over a place.
  RetentionWindow around(int64_t call, int64_t before, int64_t behind) const {
    RetentionWindow window{std::max<int64_t>(call - before, 0), std::min(call + behind, count)};
    for (int64_t place : places)
      if (place <= call)
        window.begin = std::max(window.begin, place);
      else
        window.end = std::min(window.end, place);
    return window;
  }

private:
  const int64_t count;
  std::vector<int64_t> places;
};

// Time of the clones of a window.
int64_t nsIn(const RetentionProblem &problem, const Retention &answer, RetentionWindow window) {
  int64_t ns = 0;
  for (const Retention::Clone &clone : answer.clones)
    ns += clone.before >= window.begin && clone.before < window.end ? problem.calls[clone.call].ns : 0;
  return ns;
}

} // namespace

bool plc::planner::repairByWindows(const RetentionProblem &problem, Retention &answer, int64_t states) {
  Cuts cuts(problem);
  RetentionGround ground(problem);
  int64_t count = problem.calls.size();
  RetentionProblem::Peak peak = problem.peakOf(answer);
  for (int64_t reach = 2; peak.bytes > problem.budgetBytes; reach *= 2) {
    for (bool fits = true; fits && peak.bytes > problem.budgetBytes;) {
      Retention trial = answer;
      RetentionWindow window = cuts.around(peak.call, reach, reach + 1);
      WindowEffort least{2'000}, any{states, WindowGoal::Any};
      fits = searchWindow(ground, trial, window, least) == WindowEnd::Found ||
             searchWindow(ground, trial, window, any) == WindowEnd::Found;
      RetentionProblem::Peak next = problem.peakOf(trial);
      fits &= next.bytes <= problem.budgetBytes || next.call < window.begin || next.call >= window.end;
      if (!fits)
        break;
      answer = std::move(trial);
      peak = next;
    }
    if (reach >= count)
      break;
  }
  return peak.bytes <= problem.budgetBytes;
}

int64_t plc::planner::improveByWindows(const RetentionProblem &problem, Retention &answer, int64_t states) {
  Cuts cuts(problem);
  RetentionGround ground(problem);
  int64_t count = problem.calls.size(), widest = std::clamp<int64_t>(count * 2 / 3, 4, 64);
  for (int64_t width = 4; width <= widest && states > 0;) {
    bool better = false;
    for (int64_t begin = problem.firstClone; begin < count && states > 0; begin += std::max<int64_t>(width / 4, 1)) {
      RetentionWindow window = cuts.around(begin, 0, width);
      WindowEffort effort{2'000};
      effort.belowNs = nsIn(problem, answer, window);
      if (effort.belowNs == 0)
        continue; // nothing runs again
      better |= searchWindow(ground, answer, window, effort) == WindowEnd::Found;
      states -= 200 + effort.spent;
    }
    if (!better)
      width += std::max<int64_t>(width / 2, 1);
  }
  return states;
}
