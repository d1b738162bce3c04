//===- SplitScalars.h - an optimizer's rules as two models ------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_ELABORATE_SPLITSCALARS_H
#define PLC_LIB_LANGUAGE_ELABORATE_SPLITSCALARS_H

#include "Library.h"
#include "plc/Module/OptimizerSettings.h"

namespace plc::language {

using module::OptimizerHeader;

/// The header and the states of one form of an optimizer. Nullopt after an error.
std::optional<OptimizerHeader> headerOf(const Function &optimizer, const Sizes &sizes, Diagnostics &diagnostics);

/// The rules of an optimizer, divided: expressions of scalars alone are a model of their own.
struct SplitRules {
  Function *scalars = nullptr; ///< a model; null if tensors meet given scalars alone
  Function *rules = nullptr;   ///< an fn over the axes of the optimizer
  Function *tensors = nullptr; ///< a model that calls it on a parameter of one shape, or on one block
};

/// Divides the rules of an optimizer whose header is valid. `shape` is that of the parameter; if the rules work element
/// by element, it is not used. The new functions belong to `unit`. Nullopt after an error.
std::optional<SplitRules> splitScalars(Unit &unit, const Function &optimizer, const module::OptimizerForm &form,
                                       llvm::ArrayRef<int64_t> shape, Diagnostics &diagnostics);

} // namespace plc::language

#endif
