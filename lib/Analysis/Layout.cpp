//===- Layout.cpp - where the elements of a tensor lie --------------------===//
#include "plc/Analysis/Layout.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/BuiltinTypes.h"

llvm::SmallVector<int64_t> plc::ein::stridesOf(mlir::Type tensor) {
  return mlir::computeSuffixProduct(mlir::cast<mlir::RankedTensorType>(tensor).getShape());
}
