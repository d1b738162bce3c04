//===- Residuals.h - what to save for the backward pass ---------*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_ADJOINT_RESIDUALS_H
#define PLC_LIB_ALGEBRA_ADJOINT_RESIDUALS_H

#include "Base/Equations.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

namespace plc::algebra {

/// Chooses the values that an earlier part of a body saves for a later one.
///
/// Variables: the set of saved values. Objective: few saved bytes. Constraints: every needed value is saved, given, or
/// recomputed from such values by cheap equations, to the same bits. Comparisons are never saved, nor a view in place
/// of the value that it shows.
///
/// Greedy: first drops values that the others can make, last first. Then replaces a value by its operands while that
/// saves bytes. Not optimal. Deterministic. O(n^2) in the equations of a body.
class Residuals {
public:
  using Predicate = llvm::function_ref<bool(mlir::Value)>;

  /// `isGiven`: exists anyway, at no cost (parameters, values saved before). `maySave`: can be saved. `argumentCost`:
  /// the weight of an argument's bytes. It is below 1 where the argument is often saved for other bodies as well.
  Residuals(Predicate isGiven, Predicate maySave, double argumentCost)
      : isGiven(isGiven), maySave(maySave), argumentCost(argumentCost) {}

  /// The values to save, so that all of `needed` can be made.
  llvm::SetVector<mlir::Value> choose(const llvm::SetVector<mlir::Value> &needed) const;

  /// Whether a value is given, saved, or recomputed from such values.
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

/// Sorts by position in the block: arguments, then results of equations in program order.
void sortByPosition(llvm::SmallVectorImpl<mlir::Value> &values);

} // namespace plc::algebra

#endif
