//===- Bodies.h - rewrites of one body or model, shared by passes -*- C++ -*-===//
#ifndef PLC_LIB_ALGEBRA_BASE_BODIES_H
#define PLC_LIB_ALGEBRA_BASE_BODIES_H

#include "plc/Dialect/Ein/Ein.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir {
class RewritePatternSet;
}

namespace plc::algebra {

/// The model of a module, or null after an error if there is not exactly one.
ein::ModelOp modelOf(mlir::ModuleOp module);

/// An input of a model that no file gives (`Support/RunInput.h`): the one of that name, or a new one behind the others.
mlir::Value runInput(ein::ModelOp model, mlir::Type type, llvm::StringRef name, int64_t batchAxis);

/// Fails if the module has no `ein.func`, so that a pass at the wrong place is not a silent no-op.
mlir::LogicalResult requireEquations(mlir::ModuleOp module);

/// Erases what nothing needs: equations, and calls that accumulate nothing.
void eraseDead(mlir::Region &region);
/// Erases bodies that no call names.
void eraseUncalled(mlir::ModuleOp module);

/// Erases results of bodies that no call needs, the data arguments that only they read, and calls left without a use.
/// Calls of one body keep one signature. Without a model, everything may be needed. Remarks are those of `pass`.
void pruneBodies(mlir::ModuleOp module, llvm::StringRef pass);

/// The identities of `--ein-simplify`, a pattern for each: exact for every IEEE input.
void populateEinSimplifyPatterns(mlir::RewritePatternSet &patterns);

/// `--ein-simplify` inside one body: its patterns to a fixpoint, each equation once, none dead.
void simplifyBody(ein::FuncOp body);
/// The same of the turns of a loop in a body.
void simplifyRegion(mlir::Region &region);

/// Makes a body of every maximal run of equations between the model's calls.
void outlineEquations(ein::ModelOp model);

/// Makes every contraction of a body binary.
void orderContractions(ein::FuncOp body);

/// Chooses the order of the axes of every value internal to a body, or to a turn.
void chooseLayouts(mlir::Block &block);

} // namespace plc::algebra

#endif
