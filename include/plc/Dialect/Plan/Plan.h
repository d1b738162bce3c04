//===- Plan.h - kernels, stages, routes, tasks and actions ------*- C++ -*-===//
#ifndef PLC_DIALECT_PLAN_PLAN_H
#define PLC_DIALECT_PLAN_PLAN_H

#include "plc/Dialect/Ein/Ein.h"
#include "plc/Dialect/Ein/MicroBatches.h"
#include "plc/Dialect/Plan/HoldsOnly.h"
#include "plc/Planner/Remat/RematPolicies.h"
#include "plc/Planner/Schedule/Schedules.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace plc::plan {
/// The four actions of a message.
enum class MessagePart { post, waitReceive, send, waitSend };
} // namespace plc::plan

#include "dialects/Plan/PlanOpsDialect.h.inc"
#include "dialects/Plan/PlanOpsEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Plan/PlanOpsAttrs.h.inc"
#include "dialects/Plan/PlanOpsInterfaces.h.inc"
#define GET_OP_CLASSES
#include "dialects/Plan/PlanOps.h.inc"

namespace plc::plan {

/// The kind of the kernels that an implementation computes (see Implementations.def).
KernelKind kindOf(Implementation by);

} // namespace plc::plan

#endif
