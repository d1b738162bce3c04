//===- GradientSites.h - numbers parameters' gradient sites -----*- C++ -*-===//
#ifndef PLC_ANALYSIS_GRADIENTSITES_H
#define PLC_ANALYSIS_GRADIENTSITES_H

#include "plc/Dialect/Ein/Ein.h"

namespace plc::ein {

/// The gradient sites of a model: the number of a parameter's site, for each call that accumulates and each index in
/// its `accumulates`. Sites are numbered in the program order of the forward calls, whatever the order of the backward
/// ones, since the optimizer step adds them in this order.
llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, int64_t> numberSites(ModelOp model);

} // namespace plc::ein

#endif
