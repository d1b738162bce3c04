//===- LowerToLLVM.cpp - lowers functions of loops to the LLVM dialect ----===//
#include "plc/Codegen/Kernels.h"
#include "plc/Codegen/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace plc;

// One conversion per dialect, outermost first; each leaves nothing that a later one does not handle.
void codegen::buildLoopsToLLVM(OpPassManager &pipeline) {
  // Writers emit equal offsets again and again; fewer operations make all later passes faster.
  pipeline.addPass(createCSEPass());
  // BLIS calls come first, while offsets are still index arithmetic on memrefs.
  pipeline.addPass(createConvertBlisToLLVM());
  pipeline.addPass(createSCFToControlFlowPass());
  pipeline.addPass(createConvertVectorToLLVMPass());
  pipeline.addPass(createConvertMathToLLVMPass());
  pipeline.addPass(createFinalizeMemRefToLLVMConversionPass());
  pipeline.addPass(createArithToLLVMConversionPass());
  pipeline.addPass(createConvertControlFlowToLLVMPass());
  // All memrefs have static shapes, so a bare pointer says all.
  ConvertFuncToLLVMPassOptions options;
  options.useBarePtrCallConv = true;
  pipeline.addPass(createConvertFuncToLLVMPass(options));
  pipeline.addPass(createUBToLLVMConversionPass());
  pipeline.addPass(createReconcileUnrealizedCastsPass());
  // Last, on what LLVM will get.
  pipeline.addPass(createVerifyKernelCode());
}

void codegen::registerCodegenPipelines() {
  PassPipelineRegistration<>("plan-to-llvm", "kernels to the LLVM dialect", [](OpPassManager &pipeline) {
    pipeline.addPass(createConvertKernelsToLoops());
    buildLoopsToLLVM(pipeline);
  });
}

// Adds the entry with the runtime's ABI, which unpacks the array of operands. The kernel becomes internal and is
// inlined.
static void addEntry(ModuleOp module, const codegen::KernelRecord &record) {
  auto inner = module.lookupSymbol<LLVM::LLVMFuncOp>(record.symbol);
  inner.setSymName(record.symbol + "_body");
  inner.setLinkage(LLVM::Linkage::Internal);
  inner.setAlwaysInline(true);
  ImplicitLocOpBuilder b(inner.getLoc(), module.getContext());
  b.setInsertionPointAfter(inner);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type(), i32 = b.getI32Type();
  auto type = LLVM::LLVMFunctionType::get(i32, {pointer, i64, i64, i32, pointer});
  auto entry = LLVM::LLVMFuncOp::create(b, record.symbol, type);
  entry.setPassthroughAttr(inner.getPassthroughAttr()); // which inlining would lose
  Block *block = entry.addEntryBlock(b);
  b.setInsertionPointToStart(block);
  SmallVector<Value> arguments;
  int32_t operands = inner.getFunctionType().getNumParams() - 4;
  for (int32_t index = 0; index < operands; ++index) {
    Value address = LLVM::GEPOp::create(b, pointer, pointer, block->getArgument(0), ArrayRef<LLVM::GEPArg>{index});
    arguments.push_back(LLVM::LoadOp::create(b, pointer, address));
  }
  Value zero = LLVM::ConstantOp::create(b, b.getI32IntegerAttr(0));
  Value accumulate = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, block->getArgument(3), zero);
  arguments.append({block->getArgument(1), block->getArgument(2), accumulate, block->getArgument(4)});
  LLVM::ReturnOp::create(b, LLVM::CallOp::create(b, inner, arguments).getResult());
}

LogicalResult codegen::lowerToLLVM(ModuleOp module, ArrayRef<KernelRecord> records) {
  PassManager passes(module.getContext());
  passes.enableVerifier(false); // tests run the same passes by plc-opt, which verifies after each
  buildLoopsToLLVM(passes);
  if (failed(passes.run(module)))
    return failure();
  for (const KernelRecord &record : records)
    if (!record.loop)
      addEntry(module, record);
  return success();
}
