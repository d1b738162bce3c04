//===- Passes.h - passes of the library Codegen -----------------*- C++ -*-===//
#ifndef PLC_CODEGEN_PASSES_H
#define PLC_CODEGEN_PASSES_H

#include "plc/Codegen/Kernels.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <memory>

namespace plc::codegen {
#define GEN_PASS_DECL
#include "lib/Codegen/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "lib/Codegen/Passes.h.inc"

/// Lowers the output of `convert-kernels-to-loops` to the LLVM dialect, and verifies it.
void buildLoopsToLLVM(mlir::OpPassManager &pipeline);
/// Registers the pipeline `plan-to-llvm`: kernels to the LLVM dialect.
void registerCodegenPipelines();
} // namespace plc::codegen

#endif
