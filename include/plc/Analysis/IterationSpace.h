//===- IterationSpace.h - one iteration domain for several equations -*- C++ -*-===//
#ifndef PLC_ANALYSIS_ITERATIONSPACE_H
#define PLC_ANALYSIS_ITERATIONSPACE_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace plc::ein {

/// Domain and maps of an equation; an `ein.cast` is seen as an identity map.
struct Iteration {
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<mlir::AffineMap> inputs; // of operands without the accumulator
  mlir::AffineMap result;
};
Iteration iterationOf(mlir::Operation *equation);
/// The points of that domain.
int64_t pointsOf(mlir::Operation *equation);

/// The dimension that axis `axis` of a map reads, or -1 where it reads a symbol.
int dimOf(mlir::AffineMap map, unsigned axis);

/// Whether a value depends on constants and indices alone (a mask): cheaper made again than read.
bool isFree(mlir::Value value);

/// Equations in one domain: rows (the outer dimensions) and, within a row, the inner dimensions. Every equation has
/// all the dimensions or just the outer ones; reductions keep exactly the outer ones; every value that one equation
/// reads from another is read at the point at which it is made (only a gather may read another element of its row).
struct IterationSpace {
  llvm::SmallVector<int64_t> extents; // outer, then inner
  unsigned outer = 0;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned>> dims; // dimension of the equation -> of the domain

  /// Whether an equation has one point per row.
  bool isPerRow(mlir::Operation *equation) const { return dims.lookup(equation).size() == outer; }
};

/// Aligns maps, casts, reductions and gathers, given in program order; nothing if they have no common domain. The
/// inner dimensions are the reduced ones, in the order in which they are flattened; without reductions the last one.
std::optional<IterationSpace> unifyDomains(llvm::ArrayRef<mlir::Operation *> equations);

} // namespace plc::ein

#endif
