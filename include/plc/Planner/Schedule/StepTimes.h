//===- StepTimes.h - how ranks spend a step ---------------------*- C++ -*-===//
#ifndef PLC_PLANNER_SCHEDULE_STEPTIMES_H
#define PLC_PLANNER_SCHEDULE_STEPTIMES_H

#include "plc/Planner/Schedule/Schedule.h"

#include <map>

namespace plc::planner {

/// The time of one rank in a simulated step, in ns: its jobs, and what it waits for between them. The parts add up to
/// the step.
struct RankTimes {
  int64_t busyNs = 0;
  std::map<int64_t, int64_t> waitsForRank; ///< ns until a job of that rank ended
  std::map<int64_t, int64_t> waitsForWay;  ///< ns while a message travelled, by dependence
  int64_t doneNs = 0;                      ///< after its last job, until the step ends
};

/// The times of each rank of a simulated schedule. O(jobs x dependences of a task).
std::vector<RankTimes> timesOf(const ScheduleProblem &problem, const Schedule &schedule, const Simulation &simulation);

/// The time that a step loses, in the same order, if jobs take the times of `stages` instead of the problem's. Negative
/// if the step is longer.
int64_t savedBy(const ScheduleProblem &problem, const Schedule &schedule,
                const std::vector<ScheduleProblem::Stage> &stages);

/// The time that a step loses if messages take no time.
int64_t savedWithoutTransfers(const ScheduleProblem &problem, const Schedule &schedule);

/// The time that a step loses if each job of a rank takes a tenth less: 0 if no other rank waits for its jobs.
int64_t savedByTenth(const ScheduleProblem &problem, const Schedule &schedule, int64_t rank);

} // namespace plc::planner

#endif
