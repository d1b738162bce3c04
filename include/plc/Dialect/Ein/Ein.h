//===- Ein.h - equations between indexed tensors ----------------*- C++ -*-===//
#ifndef PLC_DIALECT_EIN_EIN_H
#define PLC_DIALECT_EIN_EIN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "plc/Dialect/Ein/Functions.h"
#include "plc/Support/IRElementType.h"

namespace plc::ein {

/// Whether a type is one of a program's values: a tensor with known, positive extents, of elements in the table of
/// element types or `!ein.real`. It may have a batch axis.
bool isTensor(mlir::Type type);

/// The axis of a tensor type that `#ein.batch` names: along it micro-batches differ in size. Nullopt if there is none.
std::optional<int64_t> batchAxisOf(mlir::Type type);
/// Whether a type is that of a kernel's scratch in a ragged program (`RoomAttr`): micro-batches differ in its number of
/// elements, but no axis runs along the batch.
bool isScratch(mlir::Type type);

/// Whether elements are of a storage type that equations do not compute with: bf16, f16, i8. `type` is a tensor or an
/// element.
bool isNarrow(mlir::Type type);

/// Lanes of `Order::lanes`: an AVX-512 register of f32. The number is part of the numerics.
inline constexpr int64_t sumLanes = 16;

/// The tensor type with the elements that these are computed in; gradients have it, too.
mlir::RankedTensorType wideTypeOf(mlir::Type type);

/// Whether a type is a tensor of elements that `domain` accepts and equations compute with.
bool isTensorOf(Domain domain, mlir::Type type);

/// Whether an attribute names an argument or a result (Names.h).
bool isName(mlir::Attribute attribute);

/// Affine positions along one axis: `offset`, and `strides[i]` times the dimension `dims[i]` for each i.
struct AxisPositions {
  int64_t offset = 0;
  llvm::SmallVector<int64_t, 2> dims, strides;
};

} // namespace plc::ein

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

/// The dimension that each result of a map is; -1 - k for symbol k.
llvm::SmallVector<int64_t, 4> dimsOf(mlir::AffineMap map);

/// Whether a type is a tensor of chosen precision and at most 2^48 elements, which a plan can give memory to. So no sum
/// of bytes of a plan overflows 64 bits.
bool isSizedTensor(mlir::Type type);

/// Whether a reduction is of truth values; the others are of numbers.
constexpr bool isOfTruth(Reduction reduction) { return reduction == Reduction::any || reduction == Reduction::all; }

/// The reduction by which an equation joins the points of one element of its result: its word, else a sum.
Reduction reductionOf(mlir::Operation *equation);
/// What a scatter has as its attribute; null for a sum.
ReductionAttr joinAttr(mlir::MLIRContext *context, Reduction join);

/// Whether elements are `!ein.real`: reals of a precision that `--ein-precision` has yet to choose.
bool lacksPrecision(mlir::Type type);

/// The kind of a type's elements; nullopt for types of no value of a program. `!ein.real` is a real.
std::optional<ElementKind> findElementKind(mlir::Type type);

/// The type that sums of these elements are taken in, by the table of element types; of `!ein.real` itself.
mlir::Type sumTypeOf(mlir::Type element);

/// The element types that `domain` accepts, for a message: `f32, f64, i32 or i64`. With `unchosen` `real` comes first.
std::string listElementTypes(Domain domain, bool unchosen);

} // namespace plc::ein

#endif
