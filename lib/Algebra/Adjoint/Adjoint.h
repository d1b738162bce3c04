//===- Adjoint.h - reverse mode over one body -------------------*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_ADJOINT_ADJOINT_H
#define PLC_LIB_ALGEBRA_ADJOINT_ADJOINT_H

#include "Guards.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace plc::algebra {

/// The adjoint of a value, with the value's axes. It is exactly 0 where a guard is dead, and so must be what is
/// computed from it, even if it meets an infinite factor there. So 0 is selected again after such a factor, and never
/// made by a mask that multiplies (Ein/Rationale.md, "The zero of a branch not taken is selected").
struct Gradient {
  mlir::Value value;
  GuardList guards;
};

/// The values of a block that depend differentiably on `sources`, the sources included.
llvm::DenseSet<mlir::Value> activeValues(mlir::Block &block, const llvm::DenseSet<mlir::Value> &sources);

/// The gradients of the inputs of one equation, given its result's. Appends to `contributions`, by operand number,
/// those of active operands that have one. Emits with `builder`. Fails, with an error, where no exact derivative
/// exists.
llvm::LogicalResult differentiate(mlir::OpBuilder &builder, Guards &guards, mlir::Operation *op,
                                  const Gradient &gradient, const llvm::DenseSet<mlir::Value> &active,
                                  llvm::SmallVectorImpl<std::pair<unsigned, Gradient>> &contributions);

/// The gradient of the input of an `ein.window` or `ein.insert_slice`. It needs no guards: it is selected to be 0 where
/// the result's guards are dead.
mlir::Value adjointOfParts(mlir::OpBuilder &builder, mlir::Operation *op, const Gradient &gradient);

/// The gradient of the input of a reduction by `prod`, over the different dimensions of the input. `dy` is the
/// result's; `guard` selects 0 where that is dead.
mlir::Value adjointOfProduct(mlir::OpBuilder &builder, ein::Equation op, EquationBuilder &build, const Access &dy,
                             llvm::function_ref<Access(const Access &)> guard);

/// The gradient of the updates of a scatter that joins by `max`, `min` or `prod`. `dy` is the result's.
mlir::Value adjointOfJoin(mlir::OpBuilder &builder, ein::ScatterAddOp op, EquationBuilder &build, const Access &dy);

/// The row-major number of each point of an equation's domain along some dimensions, as an element of the type.
Access numberAmong(mlir::OpBuilder &builder, EquationBuilder &build, ein::Equation op, llvm::ArrayRef<int64_t> dims,
                   mlir::Type element);

/// Reverse mode over a block. Contributions to a value are added in program order of its consumers.
class Adjoint {
public:
  Adjoint(mlir::Block &block, const llvm::DenseSet<mlir::Value> &sources);

  /// Adds a gradient from outside. It counts as that of a last consumer. Does nothing for a value that is not active.
  void seed(mlir::Value value, mlir::Value gradient);
  /// Emits the adjoints of all equations before the terminator. All seeds must come first.
  llvm::LogicalResult run();
  /// The gradient of an argument, after `run`. Null if the seeded values do not depend on it.
  mlir::Value gradientOf(mlir::Value value);

private:
  /// The adjoint of a loop (`LoopAdjoint.h`). Guards end here: its gradients have none.
  llvm::LogicalResult run(ein::LoopOp loop);
  /// The sum of the contributions to a value; nullopt if there is none.
  std::optional<Gradient> sum(mlir::Value value, mlir::Location loc);

  mlir::Block &block;
  mlir::OpBuilder builder;
  Guards guards{builder};
  llvm::DenseSet<mlir::Value> active;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Gradient>> contributions; // last consumer first
};

} // namespace plc::algebra

#endif
