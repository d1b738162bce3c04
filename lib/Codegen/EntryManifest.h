//===- EntryManifest.h - a planned program as the manifest says it -*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_ENTRYMANIFEST_H
#define PLC_LIB_CODEGEN_ENTRYMANIFEST_H

#include "plc/Codegen/Module.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

namespace plc::codegen {

using KernelIndex = llvm::function_ref<KernelVariants(llvm::StringRef)>;

/// The entry of a module after `plan-addresses`: batch, inputs, outputs, channels and ranks with their statics, tasks
/// and actions. `kernelIndex` gives the positions in the manifest's "kernels" of a kernel's symbol.
llvm::json::Object entryManifest(mlir::ModuleOp module, KernelIndex kernelIndex);

} // namespace plc::codegen

#endif
