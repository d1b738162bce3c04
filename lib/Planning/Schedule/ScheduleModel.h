//===- ScheduleModel.h - a program as a scheduling problem ------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_SCHEDULE_SCHEDULEMODEL_H
#define PLC_LIB_PLANNING_SCHEDULE_SCHEDULEMODEL_H

#include "plc/Analysis/RouteTable.h"
#include "plc/Planner/Schedule/Schedule.h"
#include "plc/Search/StageTasks.h"

namespace plc::plan {

/// Of messages, as the passes' options have it.
inline constexpr int64_t predictedBytesPerNs = search::bytesPerNs;

/// Stages in their order, times from the kernels' costs, dependences from values and routes: of the first replica, as all
/// are alike.
planner::ScheduleProblem buildScheduleProblem(ProgramOp program, const RouteTable &routes, int64_t bytesPerNs);

/// The runs of the first replica's ranks, as jobs; the runs themselves in the same shape, of all ranks.
planner::Schedule readSchedule(ProgramOp program, std::vector<std::vector<RunOp>> &runs);

/// Position of a stage among the program's; -1 if there is none of that name.
int64_t stageIndex(ProgramOp program, llvm::StringRef name);

/// The first task, in the order F, B, W, that uses a value of its stage; null if none does.
TaskOp firstUser(mlir::Value value);

/// The task that makes what a route carries; null for parameters and sites.
TaskOp makerOf(const RouteTable &routes, RouteOp route);

} // namespace plc::plan

#endif
