//===- Passes.td - passes of the room Codegen -------------------------------===//
#ifndef PLC_CODEGEN_PASSES
#define PLC_CODEGEN_PASSES

include "mlir/Pass/PassBase.td"

def ConvertKernelsToLoops : Pass<"convert-kernels-to-loops", "::mlir::ModuleOp"> {
  let summary = "write every kernel as a function of loops on flat memrefs";
  let description = [{
    Before: `plan.kernel`s. After: for each a private `func.func` over the memrefs of its inputs and outputs, a range of
    chunks, the accumulate flag and the caller's context, of scf, arith, math, vector, memref and `blis.gemm`; and all
    else (models, bodies, parameters) is gone. The order of every sum is the one that the equations name.

    Each kernel is written by what its `by` names: `blis` writes blocks of contractions as `blis.gemm`, `tiles` as loops
    over tiles that are summed in registers of `vector-bits`, or with `amx` products of bf16 by bf16 in the tiles of the matrix unit, `chains` as the definition has them. A kernel without `by`,
    or one that it cannot compute, is an error: code generation does not choose. The bits are the same.
  }];
  let options = [Option<"vectorBits", "vector-bits", "int64_t", "512", "bits of a register of tiles: 256 or 512">,
                 Option<"amx", "amx", "bool", "false", "products of bf16 in tiles of the matrix unit">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect", "::plc::blis::BlisDialect"];
}

def ConvertBlisToLLVM : Pass<"convert-blis-to-llvm", "::mlir::ModuleOp"> {
  let summary = "turn every blis.gemm into a call of the library's typed expert interface";
  let description = [{
    Before: `blis.gemm` on memrefs. After: `llvm.call @bli_sgemm_ex` or `@bli_dgemm_ex` with alpha 1, beta 0 or 1, no
    context of the library's own and the `rntm_t` of the caller's context. Nothing else changes.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"];
}

def VerifyKernelCode : Pass<"verify-kernel-code", "::mlir::ModuleOp"> {
  let summary = "reject code that allocates, copies or calls anything but BLIS";
  let description = [{
    Runs on the LLVM dialect, changes nothing. A call to any function but `bli_sgemm_ex` and `bli_dgemm_ex`, or an
    intrinsic that becomes a call of libm or of the heap or a memory copy, is an error at its place in the model.
  }];
}

#endif
