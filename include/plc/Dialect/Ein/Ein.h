//===- Ein.h - equations between indexed tensors ----------------*- C++ -*-===//
#ifndef PLC_DIALECT_EIN_EIN_H
#define PLC_DIALECT_EIN_EIN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Ein/EinOpsDialect.h.inc"
#include "dialects/Ein/EinOpsEnums.h.inc"
#include "dialects/Ein/EinOpsInterfaces.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Ein/EinOpsTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Ein/EinOpsAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/Ein/EinOps.h.inc"

namespace plc::ein {

/// Whether a type is what values of a program have: a tensor whose extents are known and positive, of real, f32, f64,
/// i32, i64 or i1.
bool isTensor(mlir::Type type);

/// Whether a type is a tensor whose precision is chosen, of at most 2^48 elements: what a plan gives memory to.
bool isSizedTensor(mlir::Type type);

/// Whether a function is of reals alone and costs several times an addition: its result is rather kept than made again.
inline bool isTranscendental(Function function) {
  return (function >= Function::exp && function <= Function::sigmoid) || function == Function::pow;
}

} // namespace plc::ein

#endif
