//===- FreeValues.h - masks known at compile time ---------------*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_ADJOINT_FREEVALUES_H
#define PLC_LIB_ALGEBRA_ADJOINT_FREEVALUES_H

#include "Base/Equations.h"

namespace plc::algebra {

/// Evaluates integers and truth values that constants and indices alone make, one point at a time. Gives up after
/// `budget` visited equations.
class FreeValues {
public:
  explicit FreeValues(int64_t budget) : left(budget) {}

  /// The value at a point, given by axes. Nullopt if it depends on data, overflows its type, or no budget is left.
  std::optional<int64_t> at(mlir::Value value, llvm::ArrayRef<int64_t> point);

private:
  std::optional<int64_t> ofMap(ein::MapOp map, llvm::ArrayRef<int64_t> point);

  int64_t left;
};

} // namespace plc::algebra

#endif
