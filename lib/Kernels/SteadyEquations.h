//===- SteadyEquations.h - equations that are the same in all runs -*- C++ -*-===//
#ifndef PLC_LIB_KERNELS_STEADYEQUATIONS_H
#define PLC_LIB_KERNELS_STEADYEQUATIONS_H

#include "plc/Dialect/Ein/Ein.h"

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

/// Equations of a body that are the same in all runs and cost more than reading a value, with what they need, apart from
/// the others: `block` ends with an `ein.return` of what these read of it, which they read as `arguments` that are added
/// behind the body's own.
struct SteadyEquations {
  mlir::Block block;
  llvm::SmallVector<mlir::Value> arguments;
};
/// Moves them out of a body without dead equations; `apart` stays without operations if there are none.
void takeSteady(mlir::Block &body, const SteadyArguments &steady, SteadyEquations &apart);

} // namespace plc::kernels

#endif
