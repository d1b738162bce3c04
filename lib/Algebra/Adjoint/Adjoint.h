//===- Adjoint.h - reverse mode over one body -------------------*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_ADJOINT_ADJOINT_H
#define PLC_LIB_ALGEBRA_ADJOINT_ADJOINT_H

#include "Guards.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace plc::algebra {

/// The adjoint of a value, with the value's axes. It is exactly 0 where a guard says so, and what is computed from it
/// must be, even if the factor there is infinite: it is selected again, never multiplied by a mask.
struct Gradient {
  mlir::Value value;
  GuardList guards;
};

/// Values of a body that depend differentiably on the given ones.
llvm::DenseSet<mlir::Value> activeValues(mlir::Block &block, const llvm::DenseSet<mlir::Value> &sources);

/// Gradients for the inputs of one equation, given its result's. Appends to `contributions`, by operand number, those
/// of active operands that have one; emits with `builder`. Fails, with an error, where no exact derivative exists.
llvm::LogicalResult differentiate(mlir::OpBuilder &builder, Guards &guards, mlir::Operation *op,
                                  const Gradient &gradient, const llvm::DenseSet<mlir::Value> &active,
                                  llvm::SmallVectorImpl<std::pair<unsigned, Gradient>> &contributions);

/// The gradient of the input of an `ein.window` or `ein.place`, which no guard needs: where the result's is 0 it is selected.
mlir::Value adjointOfParts(mlir::OpBuilder &builder, mlir::Operation *op, const Gradient &gradient);

/// Reverse mode over a block. Contributions to a value are added in program order of its consumers.
class Adjoint {
public:
  Adjoint(mlir::Block &block, const llvm::DenseSet<mlir::Value> &sources);

  /// The gradient of a value from outside, as its last consumer.
  void seed(mlir::Value value, mlir::Value gradient);
  /// Emits the adjoints of all equations before the terminator; seeds come first.
  llvm::LogicalResult run();
  /// The gradient of an argument, or null if the seeded values do not depend on it. After `run`.
  mlir::Value gradientOf(mlir::Value value);

private:
  llvm::LogicalResult run(ein::LoopOp loop);
  std::optional<Gradient> sum(mlir::Value value, mlir::Location loc);

  mlir::Block &block;
  mlir::OpBuilder builder;
  Guards guards{builder};
  llvm::DenseSet<mlir::Value> active;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Gradient>> contributions; // in reverse order
};

} // namespace plc::algebra

#endif
