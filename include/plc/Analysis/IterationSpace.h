//===- IterationSpace.h - a common iteration domain of equations *- C++ -*-===//
#ifndef PLC_ANALYSIS_ITERATIONSPACE_H
#define PLC_ANALYSIS_ITERATIONSPACE_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace plc::ein {

/// Domain and maps of an equation. Casts and other elementwise operations have identity maps.
struct Iteration {
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<mlir::AffineMap> inputs; // of operands without the accumulator
  mlir::AffineMap result;
};
Iteration iterationOf(mlir::Operation *equation);
/// The number of points of that domain; INT64_MAX if it is larger.
int64_t pointsOf(mlir::Operation *equation);

/// The dimension that axis `axis` of a map reads, or -1 where it reads a symbol.
int dimOf(mlir::AffineMap map, unsigned axis);

/// Whether a value depends on constants and indices alone, as a mask does: it is cheaper to compute again than to read.
bool isFree(mlir::Value value);

/// Equations in one domain: rows (the outer dimensions) and inner dimensions within a row. Constraints:
/// - every equation has all dimensions or just the outer ones;
/// - reductions keep exactly the outer ones;
/// - a value that one equation reads from another is read at the point at which it is made; one gather may read other
///   elements of its row.
struct IterationSpace {
  llvm::SmallVector<int64_t> extents; // outer, then inner
  unsigned outer = 0;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned>> dims; // dimension of the equation -> of the domain

  /// Whether an equation has one point per row.
  bool isPerRow(mlir::Operation *equation) const { return dims.lookup(equation).size() == outer; }
};

/// Finds the common domain of maps, casts, reductions and gathers, given in program order; nullopt if they have none.
/// The inner dimensions are the reduced ones, in the order in which they are flattened; without reductions the last
/// one.
std::optional<IterationSpace> unifyDomains(llvm::ArrayRef<mlir::Operation *> equations);

} // namespace plc::ein

#endif
