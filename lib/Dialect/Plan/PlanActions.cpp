//===- PlanActions.cpp - ranks and layouts: verification ------------------===//
#include "plc/Dialect/Plan/Plan.h"

using namespace mlir;
using namespace plc::plan;

LogicalResult RankOp::verify() {
  // (C1)
  for (auto layout : getBody().getOps<LayoutOp>())
    if (layout != &getBody().front().front())
      return layout.emitOpError("does not stand at the front of its rank");
  return success();
}

LogicalResult LayoutOp::verify() {
  // (C1)
  if (getStaticBytes() > getBoundBytes() || getBoundBytes() > getArenaBytes())
    return emitOpError("has ") << getStaticBytes() << " static bytes, bound " << getBoundBytes() << " and arena "
                               << getArenaBytes() << ", which do not ascend";
  return success();
}

LogicalResult StaticOp::verify() {
  // (C1)
  if (getSite().has_value() != (getKind() == StaticKind::gradient))
    return emitOpError("'") << stringifyStaticKind(getKind()) << "' has "
                            << (getSite() ? "a site, as only gradients have" : "no site");
  return success();
}
