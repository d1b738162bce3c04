//===- ObjectCheck.cpp - compiled code that calls what it may not -----------===//
// Passes write no such code; this is what stands between a call that LLVM itself makes up and a module.
#include "plc/Codegen/Target.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

int main() {
  mlir::MLIRContext context;
  mlir::ScopedDiagnosticHandler handler(&context, [](mlir::Diagnostic &error) { llvm::errs() << error << "\n"; });
  llvm::LLVMContext llvmContext;
  llvm::Module module("calls", llvmContext);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(llvmContext), false);
  llvm::FunctionCallee callee = module.getOrInsertFunction("memset", type);
  auto *kernel = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "kernel", module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(llvmContext, "", kernel));
  builder.CreateCall(callee);
  builder.CreateRetVoid();
  llvm::SmallVector<char> object;
  int64_t bytes = 0;
  std::vector<std::string> features = plc::codegen::featuresOf(plc::InstructionSet::avx2);
  return mlir::failed(plc::codegen::emitObject(module, features, mlir::UnknownLoc::get(&context), object, bytes));
}
