//===- Blis.h - strided contractions on memrefs -----------------*- C++ -*-===//
#ifndef PLC_DIALECT_BLIS_BLIS_H
#define PLC_DIALECT_BLIS_BLIS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "dialects/Blis/BlisOpsDialect.h.inc"
#define GET_OP_CLASSES
#include "dialects/Blis/BlisOps.h.inc"

#endif
