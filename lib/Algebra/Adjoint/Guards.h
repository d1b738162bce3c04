//===- Guards.h - where a gradient is exactly 0 -----------------*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_ADJOINT_GUARDS_H
#define PLC_LIB_ALGEBRA_ADJOINT_GUARDS_H

#include "Base/Equations.h"

#include <map>

namespace plc::algebra {

/// The gradient is exactly 0 where cond == dead: a branch was not taken there. Axis i of `cond` is axis axes[i] of the
/// guarded value.
struct Guard {
  mlir::Value cond;
  bool dead;
  Dims axes;

  bool operator==(const Guard &other) const { return cond == other.cond && dead == other.dead && axes == other.axes; }
};

/// The guards of one value. It is exactly 0 where at least one of them is dead.
using GuardList = llvm::SmallVector<Guard, 2>;

/// Makes the guards of sums. A sum of exact zeros is exactly 0, so what follows it must be selected too. Guards are
/// equations; those that nothing reads are dead code and vanish. Equal guards are made once, so that they compare
/// equal.
class Guards {
public:
  explicit Guards(mlir::OpBuilder &builder) : builder(builder) {}

  /// The guards of a sum of several values, by axes. It is dead where each value is.
  GuardList ofSum(mlir::Location loc, Dimensions axes, llvm::ArrayRef<GuardList> values);

  /// The guards of a value over a domain, summed over the dimensions that are not in `kept`; axes are dimensions. The
  /// sum is dead where every summed element is, each by any of its guards. In `if c then (if d then p else q) else r`,
  /// q is dead where c is false or d is true. `element` is a real type. A mask known to leave every sum an element
  /// gives no guard. A causal mask is one: each row and each column has an element.
  GuardList ofSumOver(mlir::Location loc, Dimensions domain, const GuardList &guards, llvm::ArrayRef<int64_t> kept,
                      mlir::Type element);

  /// The guards of a gradient that goes back through `ein.split` or `ein.merge`. Conditions over the axes that change
  /// are regrouped alike.
  GuardList unview(mlir::Operation *view, const GuardList &guards);

private:
  /// Where no guard is dead.
  Access alive(EquationBuilder &build, const GuardList &guards);
  /// The guard that `make` gives, or the one that an equal key gave before.
  Guard memoised(std::vector<int64_t> key, llvm::ArrayRef<int64_t> dims, llvm::function_ref<mlir::Value()> make);

  mlir::OpBuilder &builder;
  std::map<std::vector<int64_t>, mlir::Value> made;
};

} // namespace plc::algebra

#endif
