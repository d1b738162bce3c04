//===- SplitBody.h - a body as F, B and W -----------------------*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_ADJOINT_SPLITBODY_H
#define PLC_LIB_ALGEBRA_ADJOINT_SPLITBODY_H

#include "plc/Dialect/Ein/Ein.h"

#include "mlir/IR/BuiltinOps.h"

namespace plc::algebra {

/// The gradient of a result of a call: none, given by its readers, or the number 1 (of the loss).
enum class Seed { None, Given, One };

/// The gradients that a call needs from a body. Calls that agree share F, B and W.
struct Wanted {
  llvm::SmallVector<Seed> results;   // of each result
  llvm::SmallVector<bool> arguments; // whether each data argument needs a gradient
  llvm::SmallVector<bool> params;    // whether each parameter is trained

  /// Text that is equal for equal needs.
  std::string key() const;
};

/// The origin of a gradient, or of an operand of B or W.
struct Source {
  enum Kind {
    Argument,
    ResultGradient,
    Forward,
    Backward
  } kind; // operand of the call, gradient of a result, result of F, result of B
  unsigned index;
};

/// The bodies F, B and W of a body, and how a call connects them. `backward` or `weights` may be null.
struct Parts {
  ein::FuncOp forward, backward, weights;
  llvm::SmallVector<Source> backwardOperands, weightOperands;
  llvm::SmallVector<unsigned> backwardParams, weightParams; // parameters of the body that they read
  llvm::SmallVector<std::pair<unsigned, Source>> gradients; // data argument, and the origin of its gradient
  llvm::SmallVector<unsigned> accumulated;                  // `weights` accumulates the gradients of these parameters
};

/// Builds F, B and W in front of a body, as `name`.F, `name`.B, `name`.W. Fails, with an error, where a derivative is
/// not supported.
llvm::FailureOr<Parts> splitBody(ein::FuncOp body, const Wanted &wanted, llvm::StringRef name);

/// Replaces operations that only differentiation reads by their inputs.
template <class... Ops>
void eraseAll(mlir::Operation *root) {
  root->walk([](mlir::Operation *op) {
    if (!llvm::isa<Ops...>(op))
      return;
    op->replaceAllUsesWith(mlir::ValueRange(op->getOperand(0)));
    op->erase();
  });
}

} // namespace plc::algebra

#endif
