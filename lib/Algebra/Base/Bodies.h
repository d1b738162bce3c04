//===- Bodies.h - rewrites of bodies that several passes use ----*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_BASE_BODIES_H
#define PLC_LIB_ALGEBRA_BASE_BODIES_H

#include "plc/Dialect/Ein/Ein.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/BitVector.h"

namespace mlir {
class RewritePatternSet;
}

namespace plc::algebra {

/// The model of a module. Null, after an error, if the module has no model or several.
ein::ModelOp modelOf(mlir::ModuleOp module);

/// The model's input `name`, which no data file gives (`#ein.random`, `#ein.given`). Adds it behind the other inputs if
/// the model lacks it. `batchAxis` is its axis of samples, or -1.
mlir::Value runInput(ein::ModelOp model, mlir::Type type, mlir::Attribute name, int64_t batchAxis);

/// Fails, with an error, if the module has neither `ein.func` nor `ein.model`. So a pass at a wrong position of a
/// pipeline is an error, not a silent no-op.
mlir::LogicalResult requireEquations(mlir::ModuleOp module);

/// Erases results of the model, and keeps what makes them.
void eraseResults(ein::ModelOp model, const llvm::BitVector &erased);
/// Erases equations that have no use, and calls that have none and accumulate nothing.
void eraseDead(mlir::Region &region);
/// Erases bodies that no call names.
void eraseUncalled(mlir::ModuleOp module);

/// Erases results of bodies that no call needs, the data arguments that only such results read, and calls without a
/// use. All calls of a body keep one signature. Does nothing in a module without a model: any result may be needed
/// there. `pass` is the category of the remarks.
void pruneBodies(mlir::ModuleOp module, llvm::StringRef pass);

/// Adds the identities of `--ein-simplify`, one pattern for each. Each is exact for every IEEE input.
void populateEinSimplifyPatterns(mlir::RewritePatternSet &patterns);

/// `--ein-simplify` inside one body: applies the patterns to a fixpoint, then merges equal equations and erases dead
/// ones.
void simplifyBody(ein::FuncOp body);
/// The same for the iterations of a loop in a body.
void simplifyRegion(mlir::Region &region);

/// Turns every maximal run of equations between two calls of the model into a body and a call of it.
void outlineEquations(ein::ModelOp model);

/// Makes every contraction of a body binary, in the cheapest order (see `EinOrderContractions.cpp`).
void orderContractions(ein::FuncOp body);

/// Chooses the order of axes of every value that stays inside a block: a body, or an iteration of a loop.
void chooseLayouts(mlir::Block &block);

} // namespace plc::algebra

#endif
