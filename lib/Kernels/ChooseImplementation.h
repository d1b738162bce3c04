//===- ChooseImplementation.h - chooses kernels' implementations *- C++ -*-===//
#ifndef PLC_LIB_KERNELS_CHOOSEIMPLEMENTATION_H
#define PLC_LIB_KERNELS_CHOOSEIMPLEMENTATION_H

#include "Grouping.h"
#include "KernelCost.h"
#include "plc/Kernels/Passes.h"

namespace plc::kernels {

/// The implementation of a group of equations. A contraction takes the candidate of the least predicted time, of equal
/// ones the first of Implementations.def. Candidates are named by `allowed`, can compute it, and are worth it; chains
/// if there is no other. Groups of other kinds have one implementation each.
plan::Implementation chooseImplementation(const Group &group, Contractions allowed, const PerRate &rates);

} // namespace plc::kernels

#endif
