func.func @f(%a: memref<4xf32>, %i: index, %t: i1, %c: !llvm.ptr) {
  blis.gemm 257 %a[%i] strides [1, 1], %a[%i] strides [1, 1], %a[%i] strides [1, 1] size %i, %i accumulate %t context %c : memref<4xf32>, memref<4xf32>, memref<4xf32>, !llvm.ptr
  return
}
// expect: 2:3: error: 'blis.gemm' op sums 257 elements but a block has 1 to 256
