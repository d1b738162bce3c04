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

/// Whether a type is what values of a program have: a tensor whose extents are known and positive, and whose elements are
/// in the table of element types or `!ein.real`; it may have a batch axis.
bool isTensor(mlir::Type type);

/// The axis of a tensor type that `#ein.batch` names: along it micro-batches differ in size.
std::optional<int64_t> batchAxisOf(mlir::Type type);
/// Whether micro-batches of unequal size have different numbers of its elements, but no axis runs along the batch (`RoomAttr`).
bool isScratch(mlir::Type type);

/// Whether its elements (or it, as an element) only hold numbers: bf16, f16, i8.
bool isNarrow(mlir::Type type);

/// Of `Order::lanes`.
inline constexpr int64_t sumLanes = 16;

/// The tensor with elements that such elements are computed in, and that gradients have.
mlir::RankedTensorType wideTypeOf(mlir::Type type);

/// Whether it is one of elements that `domain` accepts and that are computed with.
bool isTensorOf(Domain domain, mlir::Type type);

/// Whether it is one that a parameter may be: of reals, or narrow.
bool isParameter(mlir::Type type);

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

/// Whether a type is a tensor whose precision is chosen, of at most 2^48 elements: what a plan gives memory to.
bool isSizedTensor(mlir::Type type);

/// Whether a reduction is of truth values; the others are of numbers.
constexpr bool isOfTruth(Reduction reduction) { return reduction == Reduction::any || reduction == Reduction::all; }

/// Whether elements are `!ein.real`: reals whose precision `--ein-precision` has yet to choose.
bool lacksPrecision(mlir::Type type);

/// What elements are; nothing for types that no value of a program has. `!ein.real` is a real.
std::optional<ElementKind> findElementKind(mlir::Type type);

/// The type that sums of such elements are taken in, by the table of element types; of `!ein.real` itself.
mlir::Type sumTypeOf(mlir::Type element);

/// The element types of the table of which `domain` may be, for a message: `f32, f64, i32 or i64`; `real` is first where
/// precision need not be chosen.
std::string listElementTypes(Domain domain, bool unchosen);

} // namespace plc::ein

#endif
