//===- PlanNumerics.cpp - verification of recorded digests ----------------===//
#include "plc/Dialect/Ein/Ein.h"
#include "plc/Dialect/Plan/Plan.h"

using namespace mlir;
using namespace plc::plan;

LogicalResult NumericsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // (C1)
  if (!isa_and_nonnull<plc::ein::ModelOp, ProgramOp>(symbols.lookupNearestSymbolFrom(*this, getProgramAttr())))
    return emitOpError("names '") << getProgram() << "', which is no 'ein.model' or 'plan.program'";
  return success();
}
