//===- MachineModel.h - what a strategy's steps are predicted on -*- C++ -*-===//
#ifndef PLC_DRIVER_MACHINEMODEL_H
#define PLC_DRIVER_MACHINEMODEL_H

#include "plc/Dialect/Plan/Plan.h"
#include "plc/Module/ActionTable.h"
#include "plc/Simulator/Cluster.h"
#include "plc/Simulator/SharedWork.h"

namespace plc::strategy {
class Strategy;
}

namespace plc::driver {

/// Ranks that share a stage: one for each part, unless the strategy says how many.
int64_t shardsOf(const strategy::Strategy &strategy);
/// Ranks of a plan without its replicas.
int64_t ranksOf(const strategy::Strategy &strategy);
/// Threads of each rank that times count with: one where runs choose how many there are.
int64_t threadsOf(const strategy::Strategy &strategy);
simulator::RankThreads rankThreads(const strategy::Strategy &strategy);
/// What so many ranks are predicted on: a core for each thread.
simulator::Cluster clusterOf(const strategy::Strategy &strategy, size_t ranks);
/// The step of a planned program, as the simulator plays it there.
int64_t playedNs(const strategy::Strategy &strategy, plan::ProgramOp program, const module::EntryPlan &table);
/// The same, of the action table that the program gives.
int64_t playedNs(const strategy::Strategy &strategy, plan::ProgramOp planned);

} // namespace plc::driver

#endif
