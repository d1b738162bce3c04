//===- RouteTable.h - ends of routes, and which memory a value is -*- C++ -*-===//
#ifndef PLC_ANALYSIS_ROUTETABLE_H
#define PLC_ANALYSIS_ROUTETABLE_H

#include "plc/Dialect/Plan/Plan.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace plc::plan {

/// The stages, routes and channels of a program by name, and with them which memory a value is. It stays true while no
/// stage, route, stash, pop or channel comes or goes. An analysis of a `plan.program`.
class RouteTable {
public:
  explicit RouteTable(mlir::Operation *program);

  /// By name; null if there is none. Verified programs name nothing else.
  StageOp stage(llvm::StringRef name) const { return stages.lookup(name); }
  RouteOp route(llvm::StringRef name) const;
  RouteOp routeOf(ChannelOp channel) const { return route(channel.getRoute()); }
  ChannelOp channel(llvm::StringRef name) const { return channels.lookup(name); }

  /// The task of a `plan.run`.
  TaskOp taskOf(RunOp run) const { return stage(run.getStage()).getTask(run.getRole()); }

  /// The ends of a route; null if it has none.
  StashOp stashOf(RouteOp route) const { return routes.lookup(route.getSymName()).stash; }
  PopOp popOf(RouteOp route) const { return routes.lookup(route.getSymName()).pop; }

  /// Whether a route joins stages of different ranks, so that messages carry it.
  bool crossesRanks(RouteOp route) const;

  /// The value, not resolved, that a message brings or takes on the action's side; null if the action moves none.
  mlir::Value carried(ActionInterface action) const;

  /// The value whose memory `value` is: a result of a task or stage is what it yields; a result of an accumulator is
  /// the accumulator; what is popped from a stage of the same rank is what was stashed there. Ends at the result of a
  /// `plan.call` or at a handle (`plan.param`, `plan.site`, `plan.input`, `plan.pop`).
  mlir::Value resolve(mlir::Value value) const;

  /// Whether a call writes a state in its memory: its last operand, which is the memory of its result.
  bool updatesState(CallOp call) const { return updating.contains(call.getKernel()); }
  /// How many updates of a state, on its way from the handle, a value has behind it. Of other values 0.
  int64_t countUpdates(mlir::Value value) const;

private:
  friend class Resolver;
  mlir::Value sameMemoryAs(mlir::Value value, llvm::function_ref<mlir::Value(mlir::Value)> resolveOperand) const;
  mlir::Value stashedFor(PopOp pop) const;

  struct Ends {
    RouteOp route;
    StashOp stash;
    PopOp pop;
  };
  llvm::StringMap<StageOp> stages;
  llvm::StringMap<Ends> routes;
  llvm::StringMap<ChannelOp> channels;
  llvm::StringSet<> updating; // kernels that update a state
};

/// `RouteTable::resolve` of many values: each is followed once, however long the chain of calls is that it ends. It stays
/// true while no call comes, goes or changes, either.
class Resolver {
public:
  explicit Resolver(const RouteTable &routes) : routes(routes) {}
  mlir::Value operator()(mlir::Value value);

private:
  const RouteTable &routes;
  llvm::DenseMap<mlir::Value, mlir::Value> known;
};

} // namespace plc::plan

#endif
