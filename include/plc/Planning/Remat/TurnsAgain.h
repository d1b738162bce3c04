//===- TurnsAgain.h - turns that a plan runs a second time ------*- C++ -*-===//
#ifndef PLC_PLANNING_REMAT_TURNSAGAIN_H
#define PLC_PLANNING_REMAT_TURNSAGAIN_H

#include "plc/Dialect/Plan/Plan.h"

namespace plc::plan {

/// What of a kernel's call are turns that segments of a backward loop run forward again, before they run them backward; 0 if
/// it is no such loop.
int64_t nsOfTurnsAgain(KernelOp kernel);

} // namespace plc::plan

#endif
