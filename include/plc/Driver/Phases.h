//===- Phases.h - the road from a model to a plan ---------------*- C++ -*-===//
#ifndef PLC_DRIVER_PHASES_H
#define PLC_DRIVER_PHASES_H

#include "plc/Algebra/Entries/NumericsPipeline.h"
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Module/ActionTable.h"
#include "plc/Planner/Remat/RematPolicies.h"
#include "plc/Planner/Schedule/ScheduleFile.h"
#include "plc/Simulator/Cluster.h"
#include "plc/Simulator/SharedWork.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace plc::strategy {
class Strategy;
}

namespace plc::driver {

using algebra::Phase;

/// What a compiled program is for, and which results it must give (empty: all). Among those of `infer` may be
/// `grad(NAME)`: the gradient of `loss` for an input or parameter; such a program gives `loss` too.
struct Program {
  ProgramKind entry = ProgramKind::train;
  std::vector<std::string> outputs;
  bool recomputes = true;    // false: what recomputation is compared with, under any memory budget
  bool measures = false;     // the budget is what recomputation aims at, and may be missed; nothing is verified yet
  bool sharesModule = false; // other programs of a module are planned by the same strategy
  bool leads = true; // false: stages and cuts are chosen for another program of the model, which may have other layers
};

/// Whether a strategy solves recomputation under a budget of bytes, for this program.
bool solvesBudget(const Program &program, const strategy::Strategy &strategy);
/// Whether the order of tasks follows times.
bool followsTimes(const strategy::Strategy &strategy);

/// Whether what is the same in all runs is computed once and kept.
bool prepares(const strategy::Strategy &strategy);

/// What a policy recomputes; policy `none` where a budget or nothing decides.
planner::RematMode rematModeOf(const Program &program, const strategy::Strategy &strategy);

/// Kinds of layers that save what they make.
std::vector<std::string> keptKinds(const strategy::Strategy &strategy);

/// Whether a budget decides if what is the same in all runs is kept.
bool mayPrepare(const Program &program, const strategy::Strategy &strategy);

/// Tensors that the optimizer keeps beside each trained parameter.
int64_t optimizerMoments(const strategy::Strategy &strategy);
/// The file of schedule `file`, which the strategy has checked; nothing if it has changed since (`plan-schedule` reports that), or
/// for other schedules.
std::optional<planner::ScheduleFile> scheduleFileOf(const strategy::Strategy &strategy);

int64_t ranksOf(const strategy::Strategy &strategy);
/// Threads of each rank that times count with: one where runs choose how many there are.
int64_t threadsOf(const strategy::Strategy &strategy);
simulator::RankThreads rankThreads(const strategy::Strategy &strategy);
/// What so many ranks are predicted on: a core for each thread.
simulator::Cluster clusterOf(const strategy::Strategy &strategy, size_t ranks);
/// The step of a planned program, as the simulator plays it there.
int64_t playedNs(const strategy::Strategy &strategy, plan::ProgramOp program, const module::EntryPlan &table);
/// The phases after `ein`, in order, with everything that a strategy decides written into the passes' options. From
/// `kernels` on each ends with `--verify-numerics`: no later phase changes an equation.
std::vector<Phase> phasesOf(const Program &program, const strategy::Strategy &strategy);

/// The phases up to and including `last`; all if there is none of this name.
llvm::ArrayRef<Phase> phasesUpTo(llvm::ArrayRef<Phase> phases, llvm::StringRef last);

/// The pipeline of some phases as plc-opt's `--pass-pipeline` takes it.
std::string pipelineText(llvm::ArrayRef<Phase> phases);

/// Registers the pipeline `ein-to-plan`: all phases after `ein`, by a strategy.
void registerPipelines();

} // namespace plc::driver

#endif
