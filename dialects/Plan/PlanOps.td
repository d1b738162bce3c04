//===- PlanOps.td - all operations of the plan dialect ---------------------===//
#ifndef PLC_PLAN_OPS
#define PLC_PLAN_OPS

include "dialects/Plan/PlanKernels.td"

#endif
