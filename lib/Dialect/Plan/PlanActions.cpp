//===- PlanActions.cpp - ranks and layouts: verification ------------------===//
#include "plc/Dialect/Plan/Plan.h"

using namespace mlir;
using namespace plc::plan;

LogicalResult RankOp::verify() {
  // (C1)
  for (auto [index, op] : llvm::enumerate(getBody().front())) {
    bool layout = isa<LayoutOp>(op);
    if (layout && index != 0)
      return op.emitOpError("does not stand at the front of its rank");
    if (!layout && !isa<RunOp, PostRecvOp, WaitRecvOp, SendOp, WaitSendOp, DropOp, StepOp>(op))
      return op.emitOpError("stands in a 'plan.rank', which holds a layout and actions");
  }
  return success();
}

LogicalResult LayoutOp::verify() {
  // (C1)
  for (Operation &op : getBody().front())
    if (!isa<StaticOp>(op))
      return op.emitOpError("stands in a 'plan.layout', which holds statics");
  // (C2)
  if (getStaticBytes() < 0 || getStaticBytes() > getBoundBytes() || getBoundBytes() > getArenaBytes())
    return emitOpError("has ") << getStaticBytes() << " static bytes, bound " << getBoundBytes() << " and arena "
                               << getArenaBytes() << ", which do not ascend";
  return success();
}

LogicalResult StaticOp::verify() {
  // (C1)
  if (getAt() < 0 || getBytes() < 0)
    return emitOpError("has ") << getBytes() << " bytes at offset " << getAt() << " but needs 0 or more of both";
  if (getSite().has_value() != (getKind() == StaticKind::gradient))
    return emitOpError("'") << stringifyStaticKind(getKind()) << "' has "
                            << (getSite() ? "a site, as only gradients have" : "no site");
  return success();
}
