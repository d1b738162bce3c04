//===- GradientSites.h - where gradients of a parameter are added -*- C++ -*-===//
#ifndef PLC_ANALYSIS_GRADIENTSITES_H
#define PLC_ANALYSIS_GRADIENTSITES_H

#include "plc/Dialect/Ein/Ein.h"

namespace plc::ein {

/// The gradient sites of a model: for each call that accumulates and position in its `accumulates`, the number of the
/// site among the parameter's. They count in the program order of the forward calls, whatever the order of the
/// backward ones: the step adds them in it.
llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, int64_t> numberSites(ModelOp model);

} // namespace plc::ein

#endif
