//===- PlanSymbols.cpp - verification of a program's symbols --------------===//
#include "plc/Dialect/Plan/Plan.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

/// Looks up a symbol of the program that an operation is in. Stages have no `Symbol` trait, but a `sym_name`.
template <typename Op>
Op lookup(SymbolTableCollection &symbols, Operation *from, FlatSymbolRefAttr name) {
  return symbols.lookupSymbolIn<Op>(from->getParentOfType<ProgramOp>(), name);
}

// (C1) of param and site: parameters are symbols of the module, beside the program.
LogicalResult verifyParameter(SymbolTableCollection &symbols, Operation *op, FlatSymbolRefAttr name, Type type) {
  auto param = symbols.lookupSymbolIn<ein::ParamOp>(op->getParentOfType<ModuleOp>(), name);
  if (!param)
    return op->emitOpError("names '") << name.getValue() << "', which is no 'ein.param'";
  if (param.getType() == type)
    return success();
  InFlightDiagnostic error = op->emitOpError("has type ")
                             << type << " but '" << name.getValue() << "' has " << param.getType();
  error.attachNote(param.getLoc()) << "parameter declared here";
  return error;
}

// (C1) of stash and pop.
LogicalResult verifyEnd(Operation *op, RouteOp route, StringRef expected, Type type) {
  auto stage = cast<StageOp>(op->getParentOp());
  if (expected == stage.getSymName() && type == route.getType())
    return success();
  InFlightDiagnostic error = op->emitOpError("stands in '")
                             << stage.getSymName() << "' with type " << type << " but the route has '" << expected
                             << "' and " << route.getType();
  error.attachNote(route.getLoc()) << "route declared here";
  return error;
}

// (C1) of run and frame.
LogicalResult verifyTask(SymbolTableCollection &symbols, Operation *op, FlatSymbolRefAttr name, Role role) {
  auto stage = lookup<StageOp>(symbols, op, name);
  if (stage && stage.getTask(role))
    return success();
  InFlightDiagnostic error = op->emitOpError("names task ")
                             << stringifyRole(role) << " of '" << name.getValue() << "', which does not exist";
  if (stage)
    error.attachNote(stage.getLoc()) << "stage declared here";
  return error;
}

// (C1) of messages.
LogicalResult verifyChannel(SymbolTableCollection &symbols, Operation *op, FlatSymbolRefAttr name) {
  if (lookup<ChannelOp>(symbols, op, name))
    return success();
  return op->emitOpError("names '") << name.getValue() << "', which is no channel";
}

} // namespace

LogicalResult ParamOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyParameter(symbols, *this, getParamAttr(), getType());
}

LogicalResult SiteOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // (C2)
  if (int64_t end = getGroup() + getGroups(), groups = (*this)->getParentOfType<ProgramOp>().getAccumulationGroups();
      end > groups)
    return emitOpError("has groups ") << getGroup() << " to " << end - 1 << " of " << groups;
  return verifyParameter(symbols, *this, getParamAttr(), getType());
}

LogicalResult RouteOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto source = lookup<StageOp>(symbols, *this, getSourceAttr());
  auto destination = lookup<StageOp>(symbols, *this, getDestinationAttr());
  // (C1)
  if (!source || !destination)
    return emitOpError("joins '") << getSource() << "' and '" << getDestination() << "', which are not both stages";
  // (C2)
  if (getGroups() > 1 && getPer() != Per::step)
    return emitOpError("carries ") << getGroups() << " groups per " << stringifyPer(getPer());
  // (C3)
  if (getPer() != Per::step && source.getReplica() != destination.getReplica())
    return emitOpError("joins replicas ")
           << source.getReplica() << " and " << destination.getReplica() << " per " << stringifyPer(getPer());
  if (source != destination)
    return success();
  InFlightDiagnostic error = emitOpError("starts and ends in stage '") << getSource() << "'";
  error.attachNote(source.getLoc()) << "stage declared here";
  return error;
}

LogicalResult StashOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto route = lookup<RouteOp>(symbols, *this, getRouteAttr());
  if (!route)
    return emitOpError("names '") << getRoute() << "', which is no route";
  return verifyEnd(*this, route, route.getSource(), getValue().getType());
}

LogicalResult PopOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto route = lookup<RouteOp>(symbols, *this, getRouteAttr());
  if (!route)
    return emitOpError("names '") << getRoute() << "', which is no route";
  if (failed(verifyEnd(*this, route, route.getDestination(), getType())))
    return failure();
  // (C2)
  bool lands = getInto() && isa_and_nonnull<ParamOp, SiteOp>(getInto().getDefiningOp());
  if (lands == (route.getPer() == Per::step) && bool(getInto()) == lands)
    return success();
  InFlightDiagnostic error = emitOpError("of a route per ")
                             << stringifyPer(route.getPer())
                             << (lands ? " lands in a persistent buffer" : " lands in no persistent buffer");
  error.attachNote(route.getLoc()) << "route declared here";
  return error;
}

LogicalResult ChannelOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // (C1)
  auto route = lookup<RouteOp>(symbols, *this, getRouteAttr());
  if (!route)
    return emitOpError("carries '") << getRoute() << "', which is no route";
  auto from = lookup<StageOp>(symbols, *this, route.getSourceAttr());
  auto to = lookup<StageOp>(symbols, *this, route.getDestinationAttr());
  if (!from || !to)
    return success(); // which the route reports itself
  if (getSource() == from.getRank() && getDestination() == to.getRank() && getSource() != getDestination())
    return success();
  InFlightDiagnostic error = emitOpError("joins ranks ")
                             << getSource() << " and " << getDestination() << " but its route joins ranks "
                             << from.getRank() << " and " << to.getRank();
  error.attachNote(route.getLoc()) << "route declared here";
  return error;
}

LogicalResult RunOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // (C2)
  if (prepares() != (getMb() < 0))
    return emitOpError("runs ") << stringifyRole(getRole()) << " for micro-batch " << getMb()
                                << " but P, and it alone, is of micro-batch -1";
  return verifyTask(symbols, *this, getStageAttr(), getRole());
}

LogicalResult FrameOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyTask(symbols, *this, getStageAttr(), getRole());
}

LogicalResult PostRecvOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyChannel(symbols, *this, getChannelAttr());
}

LogicalResult WaitRecvOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyChannel(symbols, *this, getChannelAttr());
}

LogicalResult SendOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyChannel(symbols, *this, getChannelAttr());
}

LogicalResult WaitSendOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyChannel(symbols, *this, getChannelAttr());
}
