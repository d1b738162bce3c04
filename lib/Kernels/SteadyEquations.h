//===- SteadyEquations.h - equations that are computed apart ----*- C++ -*-===//
#ifndef PLC_LIB_KERNELS_STEADYEQUATIONS_H
#define PLC_LIB_KERNELS_STEADYEQUATIONS_H

#include "plc/Dialect/Ein/Ein.h"
#include "plc/Support/Rates.h"

#include "mlir/IR/BuiltinOps.h"

namespace plc::kernels {

/// Which arguments of a module's bodies are the same in all micro-batches and runs, in every call of the body: parameters
/// that no call adds a gradient of, and what depends on such and on constants alone. A fixed point: all are taken to be
/// steady until a call shows that they are not.
class SteadyArguments {
public:
  explicit SteadyArguments(mlir::ModuleOp module);
  bool contains(mlir::Value argument) const { return steady.contains(argument); }

private:
  llvm::DenseSet<mlir::Value> steady;
};

/// Equations of a body that are computed before the others, with what they need, in kernels of their own: `block` ends with an
/// `ein.return` of what the others read of it, which they read as `arguments` that are added behind the body's own.
struct ApartEquations {
  mlir::Block block;
  llvm::SmallVector<mlir::Value> arguments;
};

/// Moves equations that are the same in all runs and cost more than reading a value out of a body without dead equations;
/// `apart` stays without operations if there are none.
void takeSteady(mlir::Block &body, const SteadyArguments &steady, ApartEquations &apart);

/// The same of tables, values of constants and indices alone, which every kernel that reads them would compute at each of its
/// points: those that take less to compute once, to write and to read, by the rates.
void takeTables(mlir::Block &body, const PerRate &rates, ApartEquations &apart);

} // namespace plc::kernels

#endif
