// One case per constraint of blis.gemm.
// RUN: plc-opt %s --split-input-file --verify-diagnostics

func.func @gemm_c1(%a: memref<8192xf32>, %i: index, %flag: i1, %ctx: !llvm.ptr) {
  // expected-error @+1 {{'blis.gemm' op sums 257 elements but a block has 1 to 256}}
  blis.gemm 257 %a[%i] strides [64, 1], %a[%i] strides [128, 1], %a[%i] strides [128, 1] size %i, %i accumulate %flag
    context %ctx : memref<8192xf32>, memref<8192xf32>, memref<8192xf32>, !llvm.ptr
  return
}

// -----

func.func @gemm_c2(%a: memref<8192xf32>, %b: memref<8192xf64>, %i: index, %flag: i1, %ctx: !llvm.ptr) {
  // expected-error @+1 {{'blis.gemm' op has element type 'f64' but 'a' has 'f32'}}
  blis.gemm 2 %a[%i] strides [64, 1], %b[%i] strides [128, 1], %a[%i] strides [128, 1] size %i, %i accumulate %flag
    context %ctx : memref<8192xf32>, memref<8192xf64>, memref<8192xf32>, !llvm.ptr
  return
}

// -----

func.func @gemm_c3(%a: memref<8192xf32>, %i: index, %flag: i1, %ctx: !llvm.ptr) {
  // expected-error @+1 {{'blis.gemm' op has 1 strides for 'a' but needs 2}}
  blis.gemm 2 %a[%i] strides [64], %a[%i] strides [128, 1], %a[%i] strides [128, 1] size %i, %i accumulate %flag
    context %ctx : memref<8192xf32>, memref<8192xf32>, memref<8192xf32>, !llvm.ptr
  return
}

// -----

func.func @gemm_c3_zero(%a: memref<8192xf32>, %i: index, %flag: i1, %ctx: !llvm.ptr) {
  // expected-error @+1 {{'blis.gemm' op has stride 0 along k in 'b'}}
  blis.gemm 2 %a[%i] strides [64, 1], %a[%i] strides [0, 1], %a[%i] strides [128, 1] size %i, %i accumulate %flag
    context %ctx : memref<8192xf32>, memref<8192xf32>, memref<8192xf32>, !llvm.ptr
  return
}
