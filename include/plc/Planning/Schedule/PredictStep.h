//===- PredictStep.h - how long a planned step takes ------------*- C++ -*-===//
#ifndef PLC_PLANNING_SCHEDULE_PREDICTSTEP_H
#define PLC_PLANNING_SCHEDULE_PREDICTSTEP_H

#include "plc/Dialect/Plan/Plan.h"
#include "plc/Module/ActionTable.h"
#include "plc/Simulator/Cluster.h"
#include "plc/Simulator/SharedWork.h"

namespace plc::plan {

/// In how many parts threads share a kernel; of a loop, in each turn.
int64_t chunksOf(KernelOp kernel);

/// Plays a program's action table on a cluster: its calls by the times of their kernels, its messages, its steps. `stepsMeet`: each step
/// waits for all ranks' gradients. -1 if ranks wait for each other.
int64_t predictStep(ProgramOp program, const module::EntryPlan &table, const simulator::Cluster &cluster,
                    const simulator::RankThreads &threads, double nsPerUpdatedByte, bool stepsMeet);

} // namespace plc::plan

#endif
