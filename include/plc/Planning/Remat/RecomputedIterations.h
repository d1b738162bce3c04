//===- RecomputedIterations.h - iterations that run twice -----------------*- C++ -*-===//
#ifndef PLC_PLANNING_REMAT_RECOMPUTEDITERATIONS_H
#define PLC_PLANNING_REMAT_RECOMPUTEDITERATIONS_H

#include "plc/Dialect/Plan/Plan.h"

namespace plc::plan {

/// Nanoseconds of a kernel's call in which a backward loop runs iterations forward again, segment by segment, before it
/// runs them backward. 0 for all other kernels.
int64_t nsOfRecomputedIterations(KernelOp kernel);

} // namespace plc::plan

#endif
