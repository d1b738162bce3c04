func.func @f(%a: memref<4xf32>, %i: index, %t: i1, %c: !llvm.ptr) {
  blis.gemm 2 %a[%i] strides [1, 1], %a[%i] strides [1, 1, 1], %a[%i] strides [1, 1] size %i, %i accumulate %t context %c : memref<4xf32>, memref<4xf32>, memref<4xf32>, !llvm.ptr
  return
}
// expect: 2:3: error: 'blis.gemm' op has 3 strides for 'b' but needs 2
