//===- BlisOps.td - strided contractions on memrefs ------------------------===//
#ifndef PLC_BLIS_OPS
#define PLC_BLIS_OPS

include "mlir/IR/OpBase.td"

def Blis_Dialect : Dialect {
  let name = "blis";
  let cppNamespace = "::plc::blis";
  let summary = "contractions as the BLIS library computes them";
  let description = [{
    One step above a library call: operands are flat memrefs with offsets and strides, sizes may be known at run time
    only, and what is computed is fixed to the bit (`Rationale.md`).
  }];
}

def Blis_GemmOp : Op<Blis_Dialect, "gemm"> {
  let summary = "one block of a contraction, strided";
  let description = [{
    c[i, j] = (accumulate ? c[i, j] : 0) + s[i, j], where s[i, j] is the ascending chain `s = fma(a[i, p], b[p, j], s)`
    from 0 over p < k, and x[i, j] stands for x[offset + i * stride0 + j * stride1]. Without `accumulate` c is not read,
    so it may hold anything. Made by code generation from `ein.contract`, one per block of 256 summed elements; becomes
    one call of `bli_sgemm_ex` or `bli_dgemm_ex`. `context` points to the caller's `plc_kernel_context`.

    An example, from `test/Dialect/Blis/roundtrip.mlir`:

    ```mlir
    blis.gemm 64 %a[%i] strides [64, 1], %b[%i] strides [128, 1], %c[%i] strides [128, 1] size %m, %m accumulate %flag
      context %ctx : memref<8192xf32>, memref<8192xf32>, memref<16384xf32>, !llvm.ptr
    ```

    (C1) k is 1 to 256: longer chains have other bits in the library.
    (C2) a, b and c are flat memrefs of f32 or f64 with one element type.
    (C3) There are two strides for each, and none of a's and b's along k is 0.
  }];
  let arguments = (ins I64Attr:$k,
                       MemRefRankOf<[F32, F64], [1]>:$a, Index:$a_offset, DenseI64ArrayAttr:$a_strides,
                       MemRefRankOf<[F32, F64], [1]>:$b, Index:$b_offset, DenseI64ArrayAttr:$b_strides,
                       MemRefRankOf<[F32, F64], [1]>:$c, Index:$c_offset, DenseI64ArrayAttr:$c_strides,
                       Index:$m, Index:$n, I1:$accumulate, AnyType:$context);
  let assemblyFormat = [{
    $k $a `[` $a_offset `]` `strides` $a_strides `,` $b `[` $b_offset `]` `strides` $b_strides `,`
    $c `[` $c_offset `]` `strides` $c_strides `size` $m `,` $n `accumulate` $accumulate `context` $context attr-dict
    `:` type($a) `,` type($b) `,` type($c) `,` type($context)
  }];
  let hasVerifier = 1;
}

#endif
