//===- RouteBuilder.h - declares routes and their ends ----------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PARTITION_ROUTEBUILDER_H
#define PLC_LIB_PLANNING_PARTITION_ROUTEBUILDER_H

#include "plc/Dialect/Plan/Plan.h"

#include "mlir/IR/Builders.h"

namespace plc::plan {

/// Makes routes of a program, numbered behind those that it has, with what stashes and pops their values.
class RouteBuilder {
public:
  /// Remarks of routes tell the pass.
  RouteBuilder(ProgramOp program, llvm::StringRef pass);

  llvm::ArrayRef<StageOp> getStages() const { return stages; }
  RouteOp declare(StageOp source, StageOp destination, Per per, const std::string &carries, mlir::Type type,
                  int64_t lanes = 1);
  /// The stash, then the pop behind the handles of the destination.
  PopOp connect(RouteOp route, StageOp source, StageOp destination, mlir::Value value, mlir::Value into);

  /// Of each parameter that another rank owns, its gradient sites go there before the step, and its new value comes back
  /// behind it, once for each rank.
  void routeParameters();

private:
  mlir::Value siteIn(StageOp stage, SiteOp like);

  ProgramOp program;
  llvm::StringRef pass;
  mlir::OpBuilder builder;
  llvm::SmallVector<StageOp> stages;
  int64_t count = 0;
};

} // namespace plc::plan

#endif
