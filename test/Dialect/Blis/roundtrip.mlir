// RUN: plc-opt %s | plc-opt | FileCheck %s
// RUN: plc-opt %s --mlir-print-op-generic | plc-opt | FileCheck %s
// RUN: plc-opt %s --convert-blis-to-llvm | FileCheck %s --check-prefix=LLVM

// LLVM-DAG: llvm.mlir.global internal constant @plc_one_f32(1.000000e+00 : f32)
// LLVM-DAG: llvm.mlir.global internal constant @plc_zero_f32(0.000000e+00 : f32)
// LLVM-DAG: llvm.func @bli_sgemm_ex(i32, i32, i64, i64, i64, !llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, i64, i64, !llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr, !llvm.ptr)
// LLVM-DAG: llvm.func @bli_dgemm_ex
// CHECK-LABEL: func.func @one
func.func @one(%a: memref<8192xf32>, %b: memref<8192xf32>, %c: memref<16384xf32>, %i: index, %m: index, %flag: i1, %ctx: !llvm.ptr) {
  // CHECK: blis.gemm 64 %{{.*}}[%{{.*}}] strides [64, 1], %{{.*}}[%{{.*}}] strides [128, 1], %{{.*}}[%{{.*}}] strides [128, 1] size %{{.*}}, %{{.*}} accumulate %{{.*}} context %{{.*}} : memref<8192xf32>, memref<8192xf32>, memref<16384xf32>, !llvm.ptr
  // LLVM: %[[BETA:.*]] = llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, !llvm.ptr
  // LLVM: llvm.call @bli_sgemm_ex({{.*}}%[[BETA]]
  // LLVM-NOT: blis.gemm
  blis.gemm 64 %a[%i] strides [64, 1], %b[%i] strides [128, 1], %c[%i] strides [128, 1] size %m, %m accumulate %flag
    context %ctx : memref<8192xf32>, memref<8192xf32>, memref<16384xf32>, !llvm.ptr
  return
}
func.func @two(%a: memref<8192xf64>, %i: index, %flag: i1, %ctx: !llvm.ptr) {
  blis.gemm 1 %a[%i] strides [64, 1], %a[%i] strides [128, 1], %a[%i] strides [128, 1] size %i, %i accumulate %flag
    context %ctx : memref<8192xf64>, memref<8192xf64>, memref<8192xf64>, !llvm.ptr
  return
}
