//===- Passes.h - from kernels to a proven plan -----------------*- C++ -*-===//
#ifndef PLC_PLANNING_PASSES_H
#define PLC_PLANNING_PASSES_H

#include "plc/Dialect/Plan/Plan.h"
#include "plc/Planner/Addresses/Pack.h"
#include "plc/Planner/Remat/RematPolicies.h"
#include "plc/Planner/Schedule/Schedules.h"
#include "plc/Support/ChoiceOption.h"
#include "plc/Support/ExactDouble.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/raw_ostream.h"

namespace plc::plan {

/// `--plan-print-routes` to a stream that outlives the pass.
std::unique_ptr<mlir::Pass> createPlanPrintRoutes(llvm::raw_ostream &out = llvm::outs());

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lib/Planning/Passes.h.inc"

} // namespace plc::plan

#endif
