//===- IRElementType.h - element types as MLIR has them ---------*- C++ -*-===//
#ifndef PLC_SUPPORT_IRELEMENTTYPE_H
#define PLC_SUPPORT_IRELEMENTTYPE_H

#include "plc/Support/ElementType.h"

#include "mlir/IR/BuiltinTypes.h"

namespace plc {

/// The type that stands for an element in IR.
mlir::Type irTypeOf(ElementType type, mlir::MLIRContext *context);

/// The row of the table that a type, or a shaped type's elements, is; nothing for types that the table does not have
/// (`!ein.real`, whose precision is not chosen, is one).
std::optional<ElementType> findElementType(mlir::Type type);

/// The same of a type that is known to be in the table.
ElementType elementTypeOf(mlir::Type type);

/// Bytes of a tensor in memory.
int64_t byteSizeOf(mlir::RankedTensorType tensor);

} // namespace plc

#endif
