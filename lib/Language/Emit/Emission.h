//===- Emission.h - programs as ein modules ---------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_EMIT_EMISSION_H
#define PLC_LIB_LANGUAGE_EMIT_EMISSION_H

#include "Program.h"
#include "mlir/IR/OwningOpRef.h"

namespace llvm {
class SourceMgr;
}
namespace mlir {
class MLIRContext;
class ModuleOp;
} // namespace mlir

namespace plc::language {

/// The `ein` module of a program without errors: parameters and states, one body for each instance, and the model.
mlir::OwningOpRef<mlir::ModuleOp> emitProgram(const Program &program, const llvm::SourceMgr &sources,
                                              mlir::MLIRContext &context);

} // namespace plc::language

#endif
