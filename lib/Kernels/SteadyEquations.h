//===- SteadyEquations.h - equations that are computed apart ----*- C++ -*-===//
#ifndef PLC_LIB_KERNELS_STEADYEQUATIONS_H
#define PLC_LIB_KERNELS_STEADYEQUATIONS_H

#include "plc/Dialect/Ein/Ein.h"
#include "plc/Support/Rates.h"

#include "mlir/IR/BuiltinOps.h"

namespace plc::kernels {

/// Which arguments of a module's bodies have equal values in all micro-batches and runs, in every call. These are
/// parameters that no call adds a gradient to, and values that depend on such and on constants alone. A greatest fixed
/// point: all arguments are steady until a call shows otherwise.
class SteadyArguments {
public:
  explicit SteadyArguments(mlir::ModuleOp module);
  bool contains(mlir::Value argument) const { return steady.contains(argument); }

private:
  llvm::DenseSet<mlir::Value> steady;
};

/// Equations of a body that are computed before the others, in kernels of their own, with all that they need. `block`
/// ends with an `ein.return` of the values that the others read; these read them as `arguments`, which are added behind
/// the body's own.
struct ApartEquations {
  mlir::Block block;
  llvm::SmallVector<mlir::Value> arguments;
};

/// Moves equations out of a body that are the same in all runs and cost more than reading a value. The body must have
/// no dead equations. Without such equations `apart` stays empty.
void takeSteady(mlir::Block &body, const SteadyArguments &steady, ApartEquations &apart);

/// Moves tables out of a body: values of constants and indices alone, which each kernel would compute at each of its
/// points. Takes those that are cheaper to compute once, write and read, by the rates.
void takeTables(mlir::Block &body, const PerRate &rates, ApartEquations &apart);

} // namespace plc::kernels

#endif
