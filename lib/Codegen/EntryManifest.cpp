//===- EntryManifest.cpp - a planned program as the manifest says it --------===//
#include "EntryManifest.h"

using namespace mlir;

FailureOr<llvm::json::Object> plc::codegen::entryManifest(ModuleOp module,
                                                          llvm::function_ref<int64_t(llvm::StringRef)> kernelIndex) {
  return module.emitError("has no plan");
}
