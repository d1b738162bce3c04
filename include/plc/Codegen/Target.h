//===- Target.h - compiles the LLVM dialect to machine code -----*- C++ -*-===//
#ifndef PLC_CODEGEN_TARGET_H
#define PLC_CODEGEN_TARGET_H

#include "plc/Codegen/Kernels.h"
#include "plc/Support/InstructionSets.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace plc::codegen {

/// The features of an instruction set, by LLVM's names. Code for a set that this machine lacks can be compiled, but not
/// run.
std::vector<std::string> featuresOf(InstructionSet set);

/// The options for kernels on a target with these features.
CodeOptions codeOptionsOf(llvm::ArrayRef<std::string> features);

/// Translates to LLVM IR and optimizes for x86-64 with the given features, without fast-math and without fusing
/// products and sums. Null, with a diagnostic at `loc`, unless the features have 'avx2' and 'fma'.
std::unique_ptr<llvm::Module> optimise(mlir::ModuleOp module, llvm::LLVMContext &context,
                                       llvm::ArrayRef<std::string> features);

/// Compiles an optimized module. Fails with a diagnostic at `loc` if the code needs a symbol other than BLIS's. Adds
/// the bytes of code to `codeBytes`.
mlir::LogicalResult emitObject(llvm::Module &module, llvm::ArrayRef<std::string> features, mlir::Location loc,
                               llvm::SmallVectorImpl<char> &object, int64_t &codeBytes);

/// Checks an object as `emitObject` does, and adds its bytes of code to `codeBytes`.
mlir::LogicalResult checkObject(llvm::StringRef object, mlir::Location loc, int64_t &codeBytes);

/// Links objects to the shared object `path`, which needs libblis.so.4, and seals it (ModuleSeal.h). Fails with a
/// diagnostic at `loc`.
mlir::LogicalResult linkModule(llvm::ArrayRef<llvm::StringRef> objects, llvm::StringRef path, mlir::Location loc);

} // namespace plc::codegen

#endif
