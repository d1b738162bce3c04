//===- Guards.h - where a gradient is exactly 0 -----------------*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_ADJOINT_GUARDS_H
#define PLC_LIB_ALGEBRA_ADJOINT_GUARDS_H

#include "Base/Equations.h"

#include <map>

namespace plc::algebra {

/// Where cond == dead, a branch was not taken: axis i of `cond` is axis axes[i] of the guarded value.
struct Guard {
  mlir::Value cond;
  bool dead;
  Dims axes;

  bool operator==(const Guard &other) const { return cond == other.cond && dead == other.dead && axes == other.axes; }
};

/// The guards of one value: it is exactly 0 where one of them says so.
using GuardList = llvm::SmallVector<Guard, 2>;

/// Makes the guards of sums: a sum of exact zeros is exactly 0, so what follows it must be selected too. They are
/// equations; those that nothing reads are dead, as all others. Equal ones are made once, so that they compare equal.
class Guards {
public:
  explicit Guards(mlir::OpBuilder &builder) : builder(builder) {}

  /// Of the sum of several values, by axes: dead where each of them is.
  GuardList ofSum(mlir::Location loc, Dimensions axes, llvm::ArrayRef<GuardList> values);

  /// Of a value over a domain, summed over the dimensions that are not in `kept`; all by dimensions. Dead where every
  /// summed element is, each by any of its guards: in `if c then (if d then p else q) else r`, q is dead where c does
  /// not hold or d does. `element` is a real type. A mask that is known never to be (a causal one: each row and column
  /// has an element) gives none.
  GuardList ofSumOver(mlir::Location loc, Dimensions domain, const GuardList &guards, llvm::ArrayRef<int64_t> kept,
                      mlir::Type element);

  /// Of a gradient that goes back through `ein.split` or `ein.merge`: conditions over the axes that change are regrouped
  /// alike.
  GuardList unview(mlir::Operation *view, const GuardList &guards);

private:
  Access alive(EquationBuilder &build, const GuardList &guards);
  Guard memoised(std::vector<int64_t> key, llvm::ArrayRef<int64_t> dims, llvm::function_ref<mlir::Value()> make);

  mlir::OpBuilder &builder;
  std::map<std::vector<int64_t>, mlir::Value> made;
};

} // namespace plc::algebra

#endif
