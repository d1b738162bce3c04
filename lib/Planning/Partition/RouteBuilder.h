//===- RouteBuilder.h - declares routes and their ends ----------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PARTITION_ROUTEBUILDER_H
#define PLC_LIB_PLANNING_PARTITION_ROUTEBUILDER_H

#include "plc/Dialect/Plan/Plan.h"

#include "mlir/IR/Builders.h"

namespace plc::plan {

/// Adds routes to a program, numbered behind those that it has, with the stash and the pop of each.
class RouteBuilder {
public:
  /// `pass` is the category of remarks.
  RouteBuilder(ProgramOp program, llvm::StringRef pass);

  llvm::ArrayRef<StageOp> getStages() const { return stages; }
  /// Declares a route without its ends. `carries` is a name for people; `groups` counts the buffers of `type` in a
  /// message.
  RouteOp declare(StageOp source, StageOp destination, Per per, const std::string &carries, mlir::Type type,
                  int64_t groups = 1);
  /// Adds the stash at the end of the source, and the pop behind the handles of the destination. With `into` the
  /// message lands in that parameter's or site's buffer.
  PopOp connect(RouteOp route, StageOp source, StageOp destination, mlir::Value value, mlir::Value into);

  /// Routes tied parameters: before the step, each gradient site goes to the owner's rank; behind it, the new value
  /// goes once to each other rank that has the parameter.
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
