//===- StepTimes.h - what ranks do in a step, and wait for ------*- C++ -*-===//
#ifndef PLC_PLANNER_SCHEDULE_STEPTIMES_H
#define PLC_PLANNER_SCHEDULE_STEPTIMES_H

#include "plc/Planner/Schedule/Schedule.h"

#include <map>

namespace plc::planner {

/// The time of a rank in a simulated step, all of it: its jobs, and what it waits for between them.
struct RankTimes {
  int64_t busyNs = 0;
  std::map<int64_t, int64_t> waitsForRank; ///< ns until a job of that rank has ended, where it had none to run
  std::map<int64_t, int64_t> waitsForWay;  ///< ns while what a job needs travels, by dependence of the problem
  int64_t doneNs = 0;                      ///< behind its last job, until the step ends
};

/// Of each rank, in the order of a simulated schedule. O(jobs dependences of a task).
std::vector<RankTimes> timesOf(const ScheduleProblem &problem, const Schedule &schedule, const Simulation &simulation);

/// By how much the step is shorter if jobs of a rank take less: `ns` of each stage and kind, in place of the problem's, in
/// the same order. Negative if it is longer.
int64_t savedBy(const ScheduleProblem &problem, const Schedule &schedule,
                const std::vector<ScheduleProblem::Stage> &stages);

/// By how much it is shorter if nothing takes time on its way.
int64_t savedWithoutWays(const ScheduleProblem &problem, const Schedule &schedule);

/// By how much it is shorter if each job of a rank takes a tenth less: nothing where others wait for no job of it.
int64_t savedByTenth(const ScheduleProblem &problem, const Schedule &schedule, int64_t rank);

} // namespace plc::planner

#endif
