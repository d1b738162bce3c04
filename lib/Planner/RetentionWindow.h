//===- RetentionWindow.h - what runs again before a few calls ---*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_RETENTIONWINDOW_H
#define PLC_LIB_PLANNER_RETENTIONWINDOW_H

#include "RetentionDual.h"
#include "RetentionGround.h"

namespace plc::planner {

/// Calls `begin` to `end - 1` of an answer with the clones before them, while all other clones stay where they are: what
/// lives where the window begins, and what is read behind it, is given.
struct RetentionWindow {
  int64_t begin = 0, end = 0;
};

enum class WindowGoal {
  Least, ///< the least time
  Any,   ///< the first way through that is found
  Beam   ///< a short one: of the states with the same next call and as many clones before it those that promise least
};

enum class WindowEnd {
  Found,
  None,    ///< nothing fits, of the clones that were looked at
  TooLarge ///< too many values or states
};

struct WindowEffort {
  int64_t states = 50'000;
  WindowGoal goal = WindowGoal::Least;
  int64_t belowNs = INT64_MAX;         ///< what takes as long or longer is no answer
  int64_t spent = 0;                   ///< of the states
  const RetentionToGo *toGo = nullptr; ///< what prices say of the whole problem, for a window that is that
  int64_t beamWidth = 0;            ///< for goal `Beam`, which needs `toGo`: how many states of each call it follows,
  const Retention *guide = nullptr; ///< and an answer whose states it follows, too
};

/// Replaces the clones of a window by ones with which each of its runs fits the budget. A shortest path over (calls of
/// the window that have run, values that live), by A* (Hart, Nilsson, Raphael, 1968) with what a state still pays at least
/// (`RetentionRest`). Values go only where a run needs their bytes, and then no more of them than it needs. At most 62
/// values come and go; optimal for goal `Least` if these are all that the window touches and all that this is made of. O(states x (calls + values)).
WindowEnd searchWindow(const RetentionGround &ground, Retention &answer, RetentionWindow window, WindowEffort &effort);

/// The whole problem as one window. Too large with several micro-batches in flight: what they hold is no state's to say.
/// Whether there are bits for all of its values is known without a search.
bool isSearchedWhole(const RetentionProblem &problem);
WindowEnd searchWhole(const RetentionProblem &problem, Retention &answer, WindowEffort &effort);

/// Makes an answer that exceeds the budget fit it, by windows that grow around its peak, each in so many states. False if none
/// helps.
bool repairByWindows(const RetentionProblem &problem, Retention &answer, int64_t states);

/// Beam search (Lowerre, 1976) through the whole problem by what prices say is still to pay, which see all of it: with the prices
/// of the budget and, as these do not know what clones hold, of less. Ever wider, around an answer that fits and what is found;
/// room for a run is made by dropping what prices say is worth least for its bytes. Heuristic; nothing where more than 62
/// values come and go. False if it is no better. `states` in all. O(states x (calls + values)).
bool improveByBeams(const RetentionProblem &problem, Retention &answer, const RetentionToGo &toGo, int64_t states);

/// Makes an answer cheaper, window by window, until no window is or `states` are used up: a large-neighbourhood search
/// (Shaw, 1998). A window is at most two thirds of the calls. Returns how many states are left; less than none if the last
/// window took more.
int64_t improveByWindows(const RetentionProblem &problem, Retention &answer, int64_t states);

} // namespace plc::planner

#endif
