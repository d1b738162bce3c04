//===- Programs.h - the programs of a module --------------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PROGRAMS_H
#define PLC_LIB_PLANNING_PROGRAMS_H

#include "plc/Dialect/Plan/Plan.h"

#include "mlir/IR/BuiltinOps.h"

namespace plc::plan {

/// A pass on programs that finds none would do nothing, and seem to have done its work.
inline mlir::LogicalResult requireProgram(mlir::ModuleOp module) {
  if (module.getOps<ProgramOp>().empty())
    return module.emitError("module has no 'plan.program': run '--plan-partition' first");
  return mlir::success();
}

inline mlir::LogicalResult requireRoutes(ProgramOp program) {
  for (auto stage : program.getBody().getOps<StageOp>())
    if (stage.getNumResults())
      return stage.emitError("stage '")
             << stage.getSymName() << "' has values that cross cuts without routes: run '--plan-infer-skips' first";
  return mlir::success();
}

inline mlir::LogicalResult requireSchedule(ProgramOp program) {
  if (program.getBody().getOps<RankOp>().empty())
    return program.emitError("program '") << program.getSymName() << "' is not scheduled: run '--plan-schedule' first";
  return mlir::success();
}

} // namespace plc::plan

#endif
