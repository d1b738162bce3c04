//===- Phases.h - the phases from a model to a plan -------------*- C++ -*-===//
#ifndef PLC_DRIVER_PHASES_H
#define PLC_DRIVER_PHASES_H

#include "plc/Algebra/Entries/NumericsPipeline.h"
#include "plc/Planner/Remat/RematPolicies.h"
#include "plc/Planner/Schedule/ScheduleFile.h"

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

/// A program to compile: its purpose, and the results that it must give (empty: all). Among the results of `infer` may
/// be `grad(NAME)`, the gradient of `loss` for an input or parameter; such a program gives `loss`, too.
struct Program {
  ProgramKind entry = ProgramKind::train;
  std::vector<std::string> outputs;
  bool recomputes = true;    // false: without recomputation, under any budget, to compare with
  bool measures = false;     // a trial: its arenas may exceed the budget, and nothing is verified
  bool sharesModule = false; // the module has other programs, planned by the same strategy
  bool leads = true;         // false: stages and cuts are those of another program, which may have other layers
};

/// Whether a byte budget decides what this program recomputes.
bool solvesBudget(const Program &program, const strategy::Strategy &strategy);
/// Whether the order of tasks follows times instead of a fixed shape.
bool followsTimes(const strategy::Strategy &strategy);

/// Whether values that are equal in all runs are computed once and kept.
bool prepares(const strategy::Strategy &strategy);

/// The mode of a policy; policy `none` if a budget decides, or nothing is recomputed.
planner::RematMode rematModeOf(const Program &program, const strategy::Strategy &strategy);

/// Kinds of layers that save all that they make.
std::vector<std::string> keptKinds(const strategy::Strategy &strategy);

/// Whether a budget decides if values that are equal in all runs are kept.
bool mayPrecompute(const Program &program, const strategy::Strategy &strategy);

/// The number of tensors that the optimizer keeps beside each trained parameter.
int64_t optimizerMoments(const strategy::Strategy &strategy);
/// Whether it keeps the average of each, too.
bool keepsAverages(const strategy::Strategy &strategy);
/// The schedule file that the strategy names, which it has checked. Nothing for other schedules, or if the file has
/// changed since; `plan-schedule` reports that.
std::optional<planner::ScheduleFile> scheduleFileOf(const strategy::Strategy &strategy);

/// The phases after `ein`, in order, with everything that a strategy decides written into the passes' options. From
/// `kernels` on no phase changes an equation: each that moves, clones or routes what is computed ends with
/// `--verify-numerics`; `schedule` and `addresses` order it and place it, which `--plan-verify` proves.
std::vector<Phase> phasesOf(const Program &program, const strategy::Strategy &strategy);

/// The phases up to and including `last`; all if no phase has that name.
llvm::ArrayRef<Phase> phasesUpTo(llvm::ArrayRef<Phase> phases, llvm::StringRef last);

/// The text of some phases, as `--pass-pipeline` of plc-opt takes it.
std::string pipelineText(llvm::ArrayRef<Phase> phases);

/// Registers the pipeline `ein-to-plan` of plc-opt: all phases after `ein`, by a strategy.
void registerPipelines();

} // namespace plc::driver

#endif
