//===- RouteTable.cpp - ends of routes, and memory of values --------------===//
#include "plc/Analysis/RouteTable.h"

#include "plc/Dialect/Plan/Values.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace plc::plan;

RouteTable::RouteTable(Operation *program) {
  if (auto module = program->getParentOfType<ModuleOp>())
    for (auto kernel : module.getOps<KernelOp>())
      if (kernel.getUpdates())
        updating.insert(kernel.getSymName());
  for (Operation &op : cast<ProgramOp>(program).getBody().front()) {
    if (auto route = dyn_cast<RouteOp>(op))
      routes[route.getSymName()].route = route;
    else if (auto channel = dyn_cast<ChannelOp>(op))
      channels[channel.getSymName()] = channel;
    else if (auto stage = dyn_cast<StageOp>(op))
      stages[stage.getSymName()] = stage;
  }
  for (auto &[name, stage] : stages)
    for (Operation &op : stage.getBody().front()) {
      if (auto stash = dyn_cast<StashOp>(op))
        routes[stash.getRoute()].stash = stash;
      else if (auto pop = dyn_cast<PopOp>(op))
        routes[pop.getRoute()].pop = pop;
    }
}

RouteOp RouteTable::route(StringRef name) const { return routes.lookup(name).route; }

bool RouteTable::crossesRanks(RouteOp route) const {
  return stage(route.getSource()).getRank() != stage(route.getDestination()).getRank();
}

Value RouteTable::carried(ActionInterface action) const {
  FlatSymbolRefAttr name = action.getMessageChannel();
  if (!name)
    return nullptr;
  RouteOp route = routeOf(channel(name.getValue()));
  return action.isSend() ? stashOf(route).getValue() : popOf(route).getResult();
}

// The stashed value that a pop receives; null if it comes from another rank.
Value RouteTable::stashedFor(PopOp pop) const {
  Ends ends = routes.lookup(pop.getRoute());
  return ends.route && ends.stash && !crossesRanks(ends.route) ? ends.stash.getValue() : Value();
}

// One step toward the value whose memory `value` has; null at the end.
Value RouteTable::sameMemoryAs(Value value, llvm::function_ref<Value(Value)> resolveOperand) const {
  auto call = value.getDefiningOp<CallOp>();
  if (!call)
    return forwardedFrom(value, [&](PopOp pop) { return stashedFor(pop); });
  if (updatesState(call))
    return resolveOperand(call.getArgs().back());
  // Sites are only used as accumulators, which are the last operands. This result is an accumulator's if all operands
  // from the same position on are sites too.
  int64_t fromEnd = int64_t(call.getNumResults()) - cast<OpResult>(value).getResultNumber();
  if (fromEnd > int64_t(call.getArgs().size()))
    return nullptr;
  Value operand;
  for (int64_t i = 1; i <= fromEnd; ++i) {
    operand = resolveOperand(call.getArgs()[call.getArgs().size() - i]);
    if (!operand.getDefiningOp<SiteOp>())
      return nullptr;
  }
  return operand;
}

Value RouteTable::resolve(Value value) const {
  auto resolveOperand = [&](Value operand) { return resolve(operand); };
  while (Value next = sameMemoryAs(value, resolveOperand))
    value = next;
  return value;
}

int64_t RouteTable::countUpdates(Value value) const {
  int64_t count = 0;
  while (Value next = sameMemoryAs(value, [](Value operand) { return operand; })) {
    auto call = value.getDefiningOp<CallOp>();
    count += call && updatesState(call);
    value = next;
  }
  return count;
}

Value Resolver::operator()(Value value) {
  if (Value found = known.lookup(value))
    return found;
  Value next = routes.sameMemoryAs(value, [&](Value operand) { return (*this)(operand); });
  Value resolved = next ? (*this)(next) : value;
  return known[value] = resolved;
}
