//===- ScheduleMemory.h - what tasks hold, as limits of an order -*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_SCHEDULEMEMORY_H
#define PLC_LIB_PLANNING_SCHEDULEMEMORY_H

#include "plc/Dialect/Plan/Plan.h"
#include "plc/Planner/Schedule.h"

namespace plc::plan {

/// Sets what the stages of a program's scheduling problem hold from task to task, and what each rank has for that: of
/// `bytes`, what is left beside `reserved` (of each rank; may be short), its static places, and the most that one of its
/// tasks takes beyond what the stage holds before or after it. Messages on their way and gaps between addresses are not
/// known here.
void limitByBytes(ProgramOp program, int64_t bytes, llvm::ArrayRef<int64_t> reserved,
                  planner::ScheduleProblem &problem);

/// What each rank of a scheduled program without clones holds at least at once, wherever its values lie: its static places,
/// and what its order holds from task to task.
std::vector<int64_t> leastBytesOf(ProgramOp program);

} // namespace plc::plan

#endif
