//===- IRElementType.h - element types as MLIR has them ---------*- C++ -*-===//
#ifndef PLC_SUPPORT_IRELEMENTTYPE_H
#define PLC_SUPPORT_IRELEMENTTYPE_H

#include "plc/Support/ElementType.h"

#include "mlir/IR/BuiltinTypes.h"

namespace plc {

/// The type that stands for an element in IR.
mlir::Type irTypeOf(ElementType type, mlir::MLIRContext *context);

/// The element type of a type or a shaped type; nullopt for types outside of the table, such as `!ein.real`, whose
/// precision is not chosen yet.
std::optional<ElementType> findElementType(mlir::Type type);

/// The same of a type that must be in the table.
ElementType elementTypeOf(mlir::Type type);

/// Bytes of a tensor in memory.
int64_t byteSizeOf(mlir::RankedTensorType tensor);

} // namespace plc

#endif
