//===- PredictStep.h - how long a planned step takes ------------*- C++ -*-===//
#ifndef PLC_PLANNING_SCHEDULE_PREDICTSTEP_H
#define PLC_PLANNING_SCHEDULE_PREDICTSTEP_H

#include "plc/Dialect/Plan/Plan.h"
#include "plc/Module/ActionTable.h"
#include "plc/Simulator/Cluster.h"
#include "plc/Simulator/SharedWork.h"

namespace plc::plan {

/// The number of chunks into which threads divide a kernel; for a loop, each of its iterations.
int64_t chunksOf(KernelOp kernel);

/// Nanoseconds of a step: plays a program's action table on a cluster, with kernel times, messages and updates. With
/// `stepsMeet` each rank's update waits for the gradients of all ranks, because it needs their norm. Returns -1 if the
/// ranks deadlock.
int64_t predictStep(ProgramOp program, const module::EntryPlan &table, const simulator::Cluster &cluster,
                    const simulator::RankThreads &threads, double nsPerUpdatedByte, bool stepsMeet);

} // namespace plc::plan

#endif
