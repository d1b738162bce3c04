//===- ScheduleModel.h - programs as scheduling problems --------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_SCHEDULE_SCHEDULEMODEL_H
#define PLC_LIB_PLANNING_SCHEDULE_SCHEDULEMODEL_H

#include "plc/Analysis/RouteTable.h"
#include "plc/Planner/Schedule/Schedule.h"
#include "plc/Search/StageTasks.h"

namespace plc::plan {

/// Bandwidth of messages in bytes per ns, as the passes' options have it by default.
inline constexpr int64_t predictedBytesPerNs = search::bytesPerNs;

/// The scheduling problem of the first replica, which all others repeat: stages in their order, times from kernels,
/// dependences from values and routes. A message takes its bytes over `bytesPerNs`.
planner::ScheduleProblem buildScheduleProblem(ProgramOp program, const RouteTable &routes, int64_t bytesPerNs);

/// Reads the orders of ranks: the first replica's as tasks, and all ranks' run operations, both by rank. Runs of P are
/// left out.
planner::Schedule readSchedule(ProgramOp program, std::vector<std::vector<RunOp>> &runs);

/// Index of a stage among the program's; -1 if no stage has the name.
int64_t stageIndex(ProgramOp program, llvm::StringRef name);

/// The first task, in the order F, B, W, that uses a value of its stage; null if none does.
TaskOp firstUser(mlir::Value value);

/// The task that makes what a route carries; null for parameters and sites.
TaskOp makerOf(const RouteTable &routes, RouteOp route);

} // namespace plc::plan

#endif
