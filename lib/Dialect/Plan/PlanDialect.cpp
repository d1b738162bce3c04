//===- PlanDialect.cpp - registration of the plan dialect -----------------===//
#include "plc/Dialect/Ein/NameText.h"
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Support/Word.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace plc::plan;
using plc::ein::parseName, plc::ein::printName; // of custom<Name>

#include "dialects/Plan/PlanOpsDialect.cpp.inc"
#include "dialects/Plan/PlanOpsEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Plan/PlanOpsAttrs.cpp.inc"
#include "dialects/Plan/PlanOpsInterfaces.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Plan/PlanOps.cpp.inc"

void PlanDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Plan/PlanOpsAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Plan/PlanOps.cpp.inc"
      >();
}
