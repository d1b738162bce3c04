//===- MessagePlan.h - when receives are posted and sends awaited -*- C++ -*-===//
#ifndef PLC_PLANNER_SCHEDULE_MESSAGEPLAN_H
#define PLC_PLANNER_SCHEDULE_MESSAGEPLAN_H

#include "plc/Planner/Schedule/Schedule.h"

namespace plc::planner {

/// The messages of a route between two ranks, one per micro-batch: from the end of a task to the start of another.
struct MessageRoute {
  int64_t source = 0;
  TaskKind from = TaskKind::F;
  int64_t destination = 0;
  TaskKind to = TaskKind::F; ///< the first of the destination that uses the value
  int64_t ns = 0;            ///< of the way, of the micro-batch with the most samples
};

/// Where the actions of one message stand, as positions among the runs of a rank: before run k, or behind all. What
/// stands before run k has this order: what run k - 1 made is sent, receives are posted, the sender waits for copies,
/// the receiver for messages, `late` receives are posted.
struct MessagePlaces {
  int64_t producer = 0, consumer = 0; ///< the runs that make and need it
  int64_t post = 0;                   ///< on the destination's rank
  bool late = false;
  int64_t waitSend = 0; ///< on the source's rank
};

/// How messages go under a schedule.
struct MessagePlan {
  struct Channel {
    std::vector<MessagePlaces> messages; ///< by micro-batch
    int64_t slots = 1;                   ///< receives posted and not waited for, at most
    int64_t lostNs = 0;                  ///< by which the step is longer than with this channel's messages as early as
                                         ///< can be, and no wait for their copies
  };
  std::vector<Channel> channels; ///< by route
  int64_t makespan = 0;          ///< of the lists of actions
};

/// The last run of a rank before which a receive can be posted at `latest`, but one ahead of the run that needs it. `end` has the
/// predicted end of each run of the rank.
int64_t lastPost(const std::vector<int64_t> &end, int64_t consumer, int64_t latest);
/// The first run of a rank, behind the one that makes the value, that starts at the arrival or later and is not before `post`, a
/// run of the receiver, in the one order of all runs. `start` and `place` have those of the rank's runs.
int64_t firstWait(const std::vector<int64_t> &start, const std::vector<int64_t> &place, int64_t producer,
                  std::pair<int64_t, int64_t> post, int64_t arrival);

/// Plans the messages of a verified schedule. A receive is posted as late as loses nothing in the predicted times, but a
/// run ahead of the one that needs it, so that the message can travel meanwhile; a sender waits before its first run that
/// starts when the message has arrived. Each channel has the fewest slots, of at most `maxSlots`, with which the predicted
/// step is no longer. Waits never form a cycle: in the one order of all runs (predicted start, place in the simulation)
/// each stands before a run that is later than what it waits for. O(routes slots actions).
MessagePlan planMessages(const ScheduleProblem &problem, const Schedule &schedule,
                         const std::vector<MessageRoute> &routes, int64_t maxSlots);

} // namespace plc::planner

#endif
