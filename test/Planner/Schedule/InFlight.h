//===- InFlight.h - how many micro-batches an order has in flight ---------===//
#ifndef PLC_TEST_PLANNER_INFLIGHT_H
#define PLC_TEST_PLANNER_INFLIGHT_H

#include "plc/Planner/Schedule/Schedule.h"

#include <algorithm>

namespace plc::planner {

/// Micro-batches that each stage has between F and the end of its backward pass, at most.
inline std::vector<int64_t> inFlightOf(const ScheduleProblem &problem, const Schedule &schedule) {
  std::vector<int64_t> now(problem.stages.size()), most(now);
  for (const std::vector<ScheduledTask> &rank : schedule.ranks)
    for (const ScheduledTask &job : rank) {
      const ScheduleProblem::Stage &stage = problem.stages[size_t(job.stage)];
      TaskKind last = stage.has[2] ? TaskKind::W : stage.has[1] ? TaskKind::B : TaskKind::F;
      if (last == TaskKind::F)
        continue;
      int64_t &mine = now[size_t(job.stage)];
      mine += (job.kind == TaskKind::F) - (job.kind == last);
      most[size_t(job.stage)] = std::max(most[size_t(job.stage)], mine);
    }
  return most;
}

} // namespace plc::planner

#endif
