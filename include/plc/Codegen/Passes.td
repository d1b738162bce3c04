//===- Passes.td - passes of the library Codegen ----------------------------===//
#ifndef PLC_CODEGEN_PASSES
#define PLC_CODEGEN_PASSES

include "mlir/Pass/PassBase.td"

def ConvertKernelsToLoops : Pass<"convert-kernels-to-loops", "::mlir::ModuleOp"> {
  let summary = "write every kernel as a function of loops on flat memrefs";
  let description = [{
    Before: `plan.kernel`s. After: one private `func.func` for each, in scf, arith, math, vector, memref and
    `blis.gemm`. Its arguments are the memrefs of the kernel's inputs and outputs, a range of chunks, the accumulate
    flag and the caller's context. Models, bodies and parameters are gone. The order of every sum is the one that the
    equations name.

    A kernel's `by` names its writer. `blis` writes blocks of contractions as `blis.gemm`. `tiles` writes loops over
    tiles, which are summed in registers of `vector-bits`; with `amx`, products of bf16 by bf16 use the tiles of the
    matrix unit. `chains` writes contractions as they are defined. The bits are the same. A kernel without `by`, or one
    that its writer cannot compute, is an error: code generation does not choose.
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
    Before: `blis.gemm` on memrefs. After: `llvm.call @bli_sgemm_ex` or `@bli_dgemm_ex` with alpha 1, beta 0 or 1, a
    null `cntx_t`, and the `rntm_t` of the caller's context. Nothing else changes.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"];
}

def VerifyKernelCode : Pass<"verify-kernel-code", "::mlir::ModuleOp"> {
  let summary = "reject code that allocates, copies or calls anything but BLIS";
  let description = [{
    Runs on the LLVM dialect and changes nothing. Two things are errors, at their location in the model: a call to any
    function but `bli_sgemm_ex` and `bli_dgemm_ex`, and an intrinsic that becomes a call of libm or of the heap, or a
    memory copy.
  }];
}

#endif
