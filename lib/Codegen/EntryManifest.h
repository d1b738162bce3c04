//===- EntryManifest.h - a planned program as the manifest says it -*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_ENTRYMANIFEST_H
#define PLC_LIB_CODEGEN_ENTRYMANIFEST_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

namespace plc::codegen {

/// The entry of a module after `plan-addresses`: batch, inputs, outputs, channels and ranks with their statics, tasks
/// and actions. `kernelIndex` gives the position in the manifest's "kernels" of a kernel's symbol. Fails with a
/// diagnostic if the module has no plan.
mlir::FailureOr<llvm::json::Object> entryManifest(mlir::ModuleOp module,
                                                  llvm::function_ref<int64_t(llvm::StringRef)> kernelIndex);

} // namespace plc::codegen

#endif
