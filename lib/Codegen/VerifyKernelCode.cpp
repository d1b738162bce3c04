//===- VerifyKernelCode.cpp - verifies that kernels only compute ----------===//
#include "BlisRoutines.h"

#include "plc/Codegen/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace plc::codegen {
#define GEN_PASS_DEF_VERIFYKERNELCODE
#include "lib/Codegen/Passes.h.inc"
} // namespace plc::codegen

using namespace mlir;

// Intrinsics that become instructions. Any other might become a library call or a hidden copy.
static bool isInstruction(StringRef name) {
  static constexpr StringLiteral known[] = {"llvm.intr.fma",          "llvm.intr.sqrt",
                                            "llvm.intr.fabs",         "llvm.intr.masked.load",
                                            "llvm.intr.masked.store", "llvm.intr.umin",
                                            "llvm.intr.umax",         "llvm.intr.smin",
                                            "llvm.intr.smax",         "llvm.intr.floor",
                                            "llvm.intr.ceil",         "llvm.intr.roundeven",
                                            "llvm.intr.prefetch",     "llvm.intr.vector.reduce.and",
                                            "llvm.intr.masked.gather"};
  return llvm::is_contained(known, name);
}

namespace {
struct VerifyKernelCode : plc::codegen::impl::VerifyKernelCodeBase<VerifyKernelCode> {
  void runOnOperation() override {
    bool rejected = false;
    getOperation().walk([&](Operation *op) {
      StringRef name = op->getName().getStringRef();
      // Everything is reported, not only the first: a new lowering often leaves several.
      if (auto call = dyn_cast<LLVM::CallOp>(op)) {
        StringRef callee = call.getCallee().value_or("a pointer");
        if (plc::codegen::isBlisRoutine(callee))
          return;
        op->emitError("kernel calls '") << callee << "' but may call BLIS only";
        rejected = true;
      } else if (name.starts_with("llvm.intr.") && !isInstruction(name)) {
        op->emitError("kernel uses '") << name << "', which is no instruction";
        rejected = true;
      } else if (!isa<LLVM::LLVMDialect>(op->getDialect()) && !isa<ModuleOp>(op)) {
        op->emitError("'") << name << "' is left in a kernel's code";
        rejected = true;
      }
    });
    if (rejected)
      signalPassFailure();
  }
};
} // namespace
