//===- Layout.h - offsets and strides of tensors and views ------*- C++ -*-===//
#ifndef PLC_ANALYSIS_LAYOUT_H
#define PLC_ANALYSIS_LAYOUT_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace plc::ein {

/// Strides of a tensor's axes, in elements. Every tensor is row-major, in memory and in a kernel's scratch.
llvm::SmallVector<int64_t> stridesOf(mlir::Type tensor);

/// A view's location in the memory of the viewed tensor: offset of the first element, and strides of its axes, in
/// elements.
struct Layout {
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides;
};

/// The layout of a value; nullopt if an axis has no single stride: a merge of axes that a window has moved apart.
std::optional<Layout> findLayout(mlir::Value value);
/// The layout of a value that kernels read, which has one.
Layout layoutOf(mlir::Value value);

} // namespace plc::ein

#endif
