//===- PlanOps.td - all operations of the plan dialect ---------------------===//
#ifndef PLC_PLAN_OPS
#define PLC_PLAN_OPS

include "dialects/Plan/PlanActions.td"
include "dialects/Plan/PlanInstances.td"
include "dialects/Plan/PlanKernels.td"
include "dialects/Plan/PlanNumerics.td"
include "dialects/Plan/PlanProgram.td"
include "dialects/Plan/PlanSpec.td"

#endif
