//===- FreeValues.h - masks that are known before the program runs -*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_ADJOINT_FREEVALUES_H
#define PLC_LIB_ALGEBRA_ADJOINT_FREEVALUES_H

#include "Base/Equations.h"

namespace plc::algebra {

/// Integers and truth values that constants and indices alone make, at points. Gives up after so many operations.
class FreeValues {
public:
  explicit FreeValues(int64_t budget) : left(budget) {}

  /// Nothing if the value depends on data, or no budget is left.
  std::optional<int64_t> at(mlir::Value value, llvm::ArrayRef<int64_t> point);

private:
  std::optional<int64_t> ofMap(ein::MapOp map, llvm::ArrayRef<int64_t> point);

  int64_t left;
};

} // namespace plc::algebra

#endif
