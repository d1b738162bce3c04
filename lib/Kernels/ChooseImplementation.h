//===- ChooseImplementation.h - who computes a kernel ----------------*- C++ -*-===//
#ifndef PLC_LIB_KERNELS_CHOOSEIMPLEMENTATION_H
#define PLC_LIB_KERNELS_CHOOSEIMPLEMENTATION_H

#include "Grouping.h"
#include "KernelCost.h"
#include "plc/Kernels/Passes.h"

namespace plc::kernels {

/// The implementation of a group of equations. A contraction that is worth it is computed by whoever takes least time by
/// the rates, of equal ones the first of Implementations.def, among those that `allowed` names; others by chains.
plan::Implementation chooseImplementation(const Group &group, Contractions allowed, const PerRate &rates);

} // namespace plc::kernels

#endif
