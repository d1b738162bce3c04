//===- Programs.h - checks that passes begin with ---------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_BASE_PROGRAMS_H
#define PLC_LIB_PLANNING_BASE_PROGRAMS_H

#include "plc/Analysis/RouteTable.h"
#include "plc/Planner/Base/Status.h"
#include "plc/Support/Errors.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

namespace plc::plan {

/// Reports why the planner has no answer. A reason that means "no plan" gets that exit code.
inline mlir::InFlightDiagnostic emitReason(mlir::Operation *op, const planner::Reason &reason) {
  mlir::InFlightDiagnostic error = op->emitError(llvm::Twine(std::string_view(reason)));
  return reason.isNoPlan ? withExitCode(std::move(error), NoPlan) : std::move(error);
}

/// Fails without a `plan.program`: a pass in the wrong place must not be a silent no-op.
inline mlir::LogicalResult requireProgram(mlir::ModuleOp module) {
  if (module.getOps<ProgramOp>().empty())
    return module.emitError("module has no 'plan.program': run '--plan-partition' first");
  return mlir::success();
}

/// Fails if values cross cuts without routes.
inline mlir::LogicalResult requireRoutes(ProgramOp program) {
  for (auto stage : program.getBody().getOps<StageOp>())
    if (stage.getNumResults())
      return stage.emitError("stage '")
             << stage.getSymName() << "' has values that cross cuts without routes: run '--plan-infer-skips' first";
  return mlir::success();
}

/// Fails if no rank has an order of runs.
inline mlir::LogicalResult requireSchedule(ProgramOp program) {
  if (program.getBody().getOps<RankOp>().empty())
    return program.emitError("program '") << program.getSymName() << "' is not scheduled: run '--plan-schedule' first";
  return mlir::success();
}

/// Fails if replicas are missing: messages, addresses and the proof belong to all of them.
inline mlir::LogicalResult requireReplicas(ProgramOp program) {
  if (program.getReplicas() > 1 && !program.isReplicated())
    return program.emitError("program '") << program.getSymName() << "' has one of " << program.getReplicas()
                                          << " replicas: run '--plan-replicate' first";
  return mlir::success();
}

/// Fails if a route between ranks has no channel. Messages decide when bytes are taken and freed, so addresses and the
/// proof need all of them.
inline mlir::LogicalResult requireChannels(ProgramOp program, const RouteTable &routes) {
  llvm::StringSet<> carried;
  for (auto channel : program.getBody().getOps<ChannelOp>())
    carried.insert(channel.getRoute());
  for (auto route : program.getBody().getOps<RouteOp>())
    if (routes.crossesRanks(route) && !carried.contains(route.getSymName()))
      return route.emitOpError("joins two ranks but no channel carries it: run '--plan-insert-comm' first");
  return mlir::success();
}

} // namespace plc::plan

#endif
