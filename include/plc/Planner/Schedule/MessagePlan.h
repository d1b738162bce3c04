//===- MessagePlan.h - positions of receives and waits ----------*- C++ -*-===//
#ifndef PLC_PLANNER_SCHEDULE_MESSAGEPLAN_H
#define PLC_PLANNER_SCHEDULE_MESSAGEPLAN_H

#include "plc/Planner/Schedule/Schedule.h"

namespace plc::planner {

/// A route between two ranks: one message per micro-batch, from the end of a task to the start of another.
struct MessageRoute {
  int64_t source = 0;
  TaskKind from = TaskKind::F;
  int64_t destination = 0;
  TaskKind to = TaskKind::F; ///< the first task of the destination that reads the value
  int64_t ns = 0;            ///< time of a message, for the micro-batch with the most samples
};

/// The positions of the actions of one message, among the runs of a rank: before run k, or behind all runs. Actions
/// before run k have this order: send what run k - 1 made, post receives, wait for copies of sends, wait for messages,
/// post `late` receives.
struct MessagePositions {
  int64_t producer = 0, consumer = 0; ///< the runs that make and need it
  int64_t post = 0;                   ///< on the destination's rank: position of the receive
  bool late = false;
  int64_t waitSend = 0; ///< on the source's rank: position of the wait for the copy
};

/// The positions of all messages of a schedule.
struct MessagePlan {
  struct Channel {
    std::vector<MessagePositions> messages; ///< by micro-batch
    int64_t slots = 1;                      ///< the most receives that are posted and not yet awaited
    int64_t lostNs = 0; ///< by which the step is longer than with this channel's messages as early as
                        ///< can be, and no wait for their copies
  };
  std::vector<Channel> channels; ///< by route
  int64_t makespan = 0;          ///< of the lists of actions, in ns
};

/// The position of a receive: the last run of a rank before which it can be posted by time `latest`, and at least one
/// run ahead of the run that needs it. `end` has the predicted end of each run.
int64_t lastPost(const std::vector<int64_t> &end, int64_t consumer, int64_t latest);
/// The position of a sender's wait: the first run behind the producer that starts at `arrival` or later, and is not
/// before `post`, a run of the receiver, in the total order of runs. `start` and `place` are those of the rank's runs.
int64_t firstWait(const std::vector<int64_t> &start, const std::vector<int64_t> &position, int64_t producer,
                  std::pair<int64_t, int64_t> post, int64_t arrival);

/// Plans the messages of a verified schedule.
///
/// Variables: positions of posts and waits, slots of each channel. Objective: the fewest slots, at most `maxSlots`,
/// that do not lengthen the predicted step. Constraint: no deadlock.
///
/// A receive is posted as late as loses no predicted time, but a run ahead of the run that needs it, so that the
/// message can travel meanwhile. A sender waits before its first run that starts after the arrival. Waits form no
/// cycle: in the total order of runs (predicted start, position in the simulation) each wait stands before a run that
/// is later than the awaited one. Heuristic. O(routes slots actions).
MessagePlan planMessages(const ScheduleProblem &problem, const Schedule &schedule,
                         const std::vector<MessageRoute> &routes, int64_t maxSlots);

} // namespace plc::planner

#endif
