//===- Residuals.h - what to save for the backward parts --------*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_ADJOINT_RESIDUALS_H
#define PLC_LIB_ALGEBRA_ADJOINT_RESIDUALS_H

#include "Base/Equations.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

namespace plc::algebra {

/// Problem: an earlier part of a body makes values that a later part needs. Choose which to save, so that all needed
/// ones are saved, given, or elementwise functions and gathers of such (made again, to the same bits), with few saved
/// bytes. Comparisons are never saved, and of a view what it shows.
///
/// Greedy: drops what can be made from the rest, last first; then, while it saves bytes, replaces a value by what it
/// is made of. Not optimal. Deterministic. O(n^2) in the equations of a body.
class Residuals {
public:
  using Predicate = llvm::function_ref<bool(mlir::Value)>;

  /// `isGiven`: present anyway, at no cost (parameters, what was saved before). `maySave`: can be saved.
  /// `argumentCost`: what a byte of an argument counts, less than 1 if the argument is kept for others as well.
  Residuals(Predicate isGiven, Predicate maySave, double argumentCost)
      : isGiven(isGiven), maySave(maySave), argumentCost(argumentCost) {}

  llvm::SetVector<mlir::Value> choose(const llvm::SetVector<mlir::Value> &needed) const;

  /// Whether a value is given, saved or made of such.
  bool canMake(mlir::Value value, const llvm::SetVector<mlir::Value> &saved) const;

private:
  llvm::SetVector<mlir::Value> pruned(llvm::SetVector<mlir::Value> saved) const;
  void saveNoComparison(llvm::SetVector<mlir::Value> &saved) const;
  void saveNoDraw(llvm::SetVector<mlir::Value> &saved) const;
  bool replace(llvm::SetVector<mlir::Value> &saved, mlir::Value value) const;

  mlir::Value shownBy(mlir::Value value) const;
  double cost(const llvm::SetVector<mlir::Value> &values) const;

  Predicate isGiven, maySave;
  double argumentCost;
};

/// By position in the block: arguments, then results of equations in program order.
void sortByPosition(llvm::SmallVectorImpl<mlir::Value> &values);

} // namespace plc::algebra

#endif
