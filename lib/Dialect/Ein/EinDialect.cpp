//===- EinDialect.cpp - registration of the ein dialect -------------------===//
#include "plc/Dialect/Ein/Ein.h"
#include "plc/Support/Word.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace plc::ein;

#include "dialects/Ein/EinOpsDialect.cpp.inc"
#include "dialects/Ein/EinOpsEnums.cpp.inc"
#include "dialects/Ein/EinOpsInterfaces.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Ein/EinOpsTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Ein/EinOpsAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Ein/EinOps.cpp.inc"

void EinDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Ein/EinOpsTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Ein/EinOpsAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Ein/EinOps.cpp.inc"
      >();
}
