//===- PredictStep.h - how long a planned step takes ------------*- C++ -*-===//
#ifndef PLC_PLANNING_PREDICTSTEP_H
#define PLC_PLANNING_PREDICTSTEP_H

#include "plc/Dialect/Plan/Plan.h"
#include "plc/Module/ActionTable.h"
#include "plc/Support/Rates.h"

namespace plc::plan {

/// Plays a program's action table in one process with a core for each rank: its calls by the times of their kernels, its
/// messages, its steps. `stepsMeet`: each step waits for all ranks' gradients. `threads` share the kernels of a rank, each part by part
/// (`chunksOf`). -1 if ranks wait for each other.
int64_t predictStep(ProgramOp program, const module::EntryPlan &table, const PerRate &rates, bool stepsMeet,
                    int64_t threads);

} // namespace plc::plan

#endif
