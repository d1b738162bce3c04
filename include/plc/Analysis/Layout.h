//===- Layout.h - where the elements of a tensor lie -----------*- C++ -*-===//
#ifndef PLC_ANALYSIS_LAYOUT_H
#define PLC_ANALYSIS_LAYOUT_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"

namespace plc::ein {

/// Strides in elements of a tensor's axes. Every tensor is row-major, in memory and in a kernel's scratch.
llvm::SmallVector<int64_t> stridesOf(mlir::Type tensor);

} // namespace plc::ein

#endif
