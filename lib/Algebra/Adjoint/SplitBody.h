//===- SplitBody.h - forward, input gradients, parameter gradients -*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_ADJOINT_SPLITBODY_H
#define PLC_LIB_ALGEBRA_ADJOINT_SPLITBODY_H

#include "plc/Dialect/Ein/Ein.h"

#include "mlir/IR/BuiltinOps.h"

namespace plc::algebra {

/// What the gradient of a result of a call is.
enum class Seed { None, Given, One };

/// Which gradients of a body are wanted. Calls that agree share the parts.
struct Wanted {
  llvm::SmallVector<Seed> results;   // of each result
  llvm::SmallVector<bool> arguments; // whether each data argument needs a gradient
  llvm::SmallVector<bool> params;    // whether each parameter is trained

  std::string key() const;
};

/// Where an operand of a call of B or W, or a gradient, comes from.
struct Source {
  enum Kind { Argument, ResultGradient, Forward, Backward } kind; // operand of the call; or result of F, B
  unsigned index;
};

/// The parts of a body. `backward` or `weights` may be null.
struct Parts {
  ein::FuncOp forward, backward, weights;
  llvm::SmallVector<Source> backwardOperands, weightOperands;
  llvm::SmallVector<unsigned> backwardParams, weightParams; // parameters of the body that they read
  llvm::SmallVector<std::pair<unsigned, Source>> gradients; // data argument, and where its gradient is
  llvm::SmallVector<unsigned> accumulated;                  // `weights` accumulates the gradients of these parameters
};

/// Builds the parts of a body before it, as `name`.F, `name`.B, `name`.W. Fails, with an error, where a
/// derivative is not supported.
llvm::FailureOr<Parts> splitBody(ein::FuncOp body, const Wanted &wanted, llvm::StringRef name);

/// Replaces every `ein.stop` by its input.
void eraseStops(mlir::Operation *root);

} // namespace plc::algebra

#endif
