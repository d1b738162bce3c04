// A contraction whose factors its own kernel makes: they lie in the kernel's scratch, and the bits are the interpreter's.
// The kernels are written by hand in Inputs/fused-factors.mlir.
// RUN: %unit/kernel-check %s kernels=%S/Inputs/fused-factors.mlir | FileCheck %s
// RUN: %unit/kernel-check %s kernels=%S/Inputs/fused-factors.mlir avx avx2 fma | FileCheck %s
// CHECK: 5 of 5 bodies equal

// A factor is no argument of the code but 37 x 300 elements of scratch, in one chunk.
// RUN: plc-opt %S/Inputs/fused-factors.mlir --convert-kernels-to-loops | FileCheck %s --check-prefix=CODE
// CODE: func.func @plc_kernel_0(%{{[a-z0-9]+}}: memref<11100xf32> {{.*}}, %{{[a-z0-9]+}}: memref<21000xf32> {{.*}}, %{{[a-z0-9]+}}: memref<2590xf32> {{.*}}, %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index
// CODE: memref.alloca() {{.*}}memref<11104xf32>

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#ijk = affine_map<(i, j, k) -> (i, j, k)>
#bt = affine_map<(m, n, k) -> (n, k)>

// The left factor by tiles, with an accumulator: sums of more than one block, edges in rows, columns and sums.
ein.func @mapped(%x: tensor<37x300xf32>, %y: tensor<300x70xf32>, %z: tensor<37x70xf32>) -> tensor<37x70xf32> attributes {num_accumulators = 1 : i64} {
  %e = ein.map exp(%x) over [37, 300] maps [#id, #id] : (tensor<37x300xf32>) -> tensor<37x300xf32>
  %s = ein.map mul(%e, %x) over [37, 300] maps [#id, #id, #id] : (tensor<37x300xf32>, tensor<37x300xf32>) -> tensor<37x300xf32>
  %0 = ein.contract %s, %y over [37, 70, 300] maps [#a, #b, #c] order [2] into %z : tensor<37x70xf32> : (tensor<37x300xf32>, tensor<300x70xf32>) -> tensor<37x70xf32>
  ein.return %0 : tensor<37x70xf32>
}

// Both factors by the library, in f64.
ein.func @both(%x: tensor<24x260xf64>, %y: tensor<260x65xf64>) -> tensor<24x65xf64> {
  %e = ein.map exp(%x) over [24, 260] maps [#id, #id] : (tensor<24x260xf64>) -> tensor<24x260xf64>
  %t = ein.map tanh(%y) over [260, 65] maps [#id, #id] : (tensor<260x65xf64>) -> tensor<260x65xf64>
  %0 = ein.contract %e, %t over [24, 65, 260] maps [#a, #b, #c] order [2] : (tensor<24x260xf64>, tensor<260x65xf64>) -> tensor<24x65xf64>
  ein.return %0 : tensor<24x65xf64>
}

// A softmax, then its product: rows with reductions make a factor.
ein.func @softmax(%x: tensor<33x48xf32>, %y: tensor<48x20xf32>) -> tensor<33x20xf32> {
  %m = ein.reduce max(%x) over [33, 48] maps [#id, #row] order lanes : (tensor<33x48xf32>) -> tensor<33xf32>
  %d = ein.map sub(%x, %m) over [33, 48] maps [#id, #row, #id] : (tensor<33x48xf32>, tensor<33xf32>) -> tensor<33x48xf32>
  %e = ein.map exp(%d) over [33, 48] maps [#id, #id] : (tensor<33x48xf32>) -> tensor<33x48xf32>
  %s = ein.reduce sum(%e) over [33, 48] maps [#id, #row] order lanes : (tensor<33x48xf32>) -> tensor<33xf32>
  %p = ein.map div(%e, %s) over [33, 48] maps [#id, #row, #id] : (tensor<33x48xf32>, tensor<33xf32>) -> tensor<33x48xf32>
  %0 = ein.contract %p, %y over [33, 20, 48] maps [#a, #b, #c] order [2] : (tensor<33x48xf32>, tensor<48x20xf32>) -> tensor<33x20xf32>
  ein.return %0 : tensor<33x20xf32>
}

// One factor shows what the other is made of through a view; the first is a result of the kernel too.
ein.func @viewed(%x: tensor<4x3x24xf32>) -> (tensor<12x24xf32>, tensor<12x12xf32>) {
  %e = ein.map exp(%x) over [4, 3, 24] maps [#ijk, #ijk] : (tensor<4x3x24xf32>) -> tensor<4x3x24xf32>
  %v = ein.merge %e axis 0 : (tensor<4x3x24xf32>) -> tensor<12x24xf32>
  %t = ein.map tanh(%v) over [12, 24] maps [#id, #id] : (tensor<12x24xf32>) -> tensor<12x24xf32>
  %0 = ein.contract %t, %v over [12, 12, 24] maps [#a, #bt, #c] order [2] : (tensor<12x24xf32>, tensor<12x24xf32>) -> tensor<12x12xf32>
  ein.return %t, %0 : tensor<12x24xf32>, tensor<12x12xf32>
}

// A factor made of another kind of numbers.
ein.func @cast(%x: tensor<9x16xi32>, %y: tensor<16x16xf32>) -> tensor<9x16xf32> {
  %f = ein.cast %x : (tensor<9x16xi32>) -> tensor<9x16xf32>
  %0 = ein.contract %f, %y over [9, 16, 16] maps [#a, #b, #c] order [2] : (tensor<9x16xf32>, tensor<16x16xf32>) -> tensor<9x16xf32>
  ein.return %0 : tensor<9x16xf32>
}
