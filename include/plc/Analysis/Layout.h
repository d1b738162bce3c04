//===- Layout.h - where the elements of a tensor lie -----------*- C++ -*-===//
#ifndef PLC_ANALYSIS_LAYOUT_H
#define PLC_ANALYSIS_LAYOUT_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace plc::ein {

/// Strides in elements of a tensor's axes. Every tensor is row-major, in memory and in a kernel's scratch.
llvm::SmallVector<int64_t> stridesOf(mlir::Type tensor);

/// Where a view's elements lie in the memory of what it shows: the first, and the strides of its axes, in elements.
struct Layout {
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides;
};

/// Nothing if one stride cannot say it: a merge of axes that a window has drawn apart.
std::optional<Layout> findLayout(mlir::Value value);
/// Of a value that kernels read, whose layout is known.
Layout layoutOf(mlir::Value value);

} // namespace plc::ein

#endif
