//===- RouteTable.h - ends of routes, and memory of values ------*- C++ -*-===//
#ifndef PLC_ANALYSIS_ROUTETABLE_H
#define PLC_ANALYSIS_ROUTETABLE_H

#include "plc/Dialect/Plan/Plan.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace plc::plan {

/// The stages, routes and channels of a program by name, and with them the memory of each value. An analysis of a
/// `plan.program`. It stays valid while no stage, route, stash, pop or channel is added or removed.
class RouteTable {
public:
  explicit RouteTable(mlir::Operation *program);

  /// Look-ups by name; null if there is none. Verified programs use no other names.
  StageOp stage(llvm::StringRef name) const { return stages.lookup(name); }
  RouteOp route(llvm::StringRef name) const;
  RouteOp routeOf(ChannelOp channel) const { return route(channel.getRoute()); }
  ChannelOp channel(llvm::StringRef name) const { return channels.lookup(name); }

  /// The task of a `plan.run`.
  TaskOp taskOf(RunOp run) const { return stage(run.getStage()).getTask(run.getRole()); }

  /// The two ends of a route; null if it has none.
  StashOp stashOf(RouteOp route) const { return routes.lookup(route.getSymName()).stash; }
  PopOp popOf(RouteOp route) const { return routes.lookup(route.getSymName()).pop; }

  /// Whether a route connects stages of different ranks, so that messages carry it.
  bool crossesRanks(RouteOp route) const;

  /// The unresolved value that an action sends or receives; null if it moves none.
  mlir::Value carried(ActionInterface action) const;

  /// The value whose memory `value` has:
  /// - of a result of a task or stage, that of the yielded value;
  /// - of a result of an accumulator, the accumulator's;
  /// - of a value popped from a stage of the same rank, that of the stashed one.
  /// Ends at the result of a `plan.call` or at a handle (`plan.param`, `plan.site`, `plan.input`, `plan.pop`).
  mlir::Value resolve(mlir::Value value) const;

  /// Whether a call updates a state in place: its last operand, whose memory its result has.
  bool updatesState(CallOp call) const { return updating.contains(call.getKernel()); }
  /// The number of updates between a state's handle and this version of it; 0 for other values.
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

/// `RouteTable::resolve` of many values, each followed once, however long its chain of calls. It stays valid while no
/// call is added, removed or changed either.
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
