// The code around the tiles of AMX, with vectors in their place, so that any CPU runs it: factors in every order of axes, edges of rows, columns and sums,
// accumulators; what is rounded where it is read; tables of matrices, whose rows lie anywhere; windows. The bits are the interpreter's.
// RUN: %python %S/Inputs/random_contractions.py 20 bf16 > %t.bf16.mlir
// RUN: %unit/kernel-check %t.bf16.mlir own emulated avx avx2 fma avx512f avx512bw avx512dq avx512vl | FileCheck %s --check-prefix=RANDOM
// RUN: %python %S/Inputs/random_contractions.py 10 f32 | plc-opt --ein-narrow-factors=compute=mixed --ein-fix-numerics > %t.rounded.mlir
// RUN: %unit/kernel-check %t.rounded.mlir own emulated avx avx2 fma avx512f avx512bw avx512dq avx512vl | FileCheck %s --check-prefix=ROUNDED
// RUN: plc-opt %s --ein-narrow-factors=compute=mixed --ein-fix-numerics > %t.mlir
// RUN: plc-opt %t.mlir --form-kernels=contractions=own --convert-kernels-to-loops=amx=true | FileCheck %s --check-prefix=USED
// RUN: %unit/kernel-check %t.mlir own emulated avx avx2 fma avx512f avx512bw avx512dq avx512vl | FileCheck %s
// RANDOM: 20 of 20 bodies equal
// ROUNDED: 10 of 10 bodies equal
// CHECK: 4 of 4 bodies equal
// USED: func.func {{.*}}@plc_kernel_0
// USED: tdpbf16ps
// USED: func.func {{.*}}@plc_kernel_1
// USED: tdpbf16ps
// USED: func.func {{.*}}@plc_kernel_2
// USED: tdpbf16ps
// USED: func.func {{.*}}@plc_kernel_4
// USED: tdpbf16ps
// REQUIRES: avx512

// Vectors, and rows, by the matrix that each chose; the last panel, the last block and the last rows are short.
ein.func @vectors(%x: tensor<50x600xf32>, %w: tensor<5x600x70xf32>, %k: tensor<50xi32>) -> tensor<50x70xf32> {
  %0 = ein.gather "icb,i=a->abc" %w, %k : (tensor<5x600x70xf32>, tensor<50xi32>) -> tensor<50x70x600xf32>
  %1 = ein.contract "ac,abc->ab" %x, %0 : (tensor<50x600xf32>, tensor<50x70x600xf32>) -> tensor<50x70xf32>
  ein.return %1 : tensor<50x70xf32>
}
ein.func @turned(%x: tensor<9x2x70xf32>, %w: tensor<5x300x70xf32>, %k: tensor<9x2xi64>, %acc: tensor<9x2x300xf32>) -> tensor<9x2x300xf32> attributes {num_accumulators = 1 : i64} {
  %0 = ein.gather "idc,i=ab->abcd" %w, %k : (tensor<5x300x70xf32>, tensor<9x2xi64>) -> tensor<9x2x70x300xf32>
  %1 = ein.contract "abd,abdc->abc" %x, %0 into %acc : tensor<9x2x300xf32> : (tensor<9x2x70xf32>, tensor<9x2x70x300xf32>) -> tensor<9x2x300xf32>
  ein.return %1 : tensor<9x2x300xf32>
}
ein.func @rows(%x: tensor<4x7x3x5x8xf32>, %w: tensor<6x3x5x8x20xf32>, %k: tensor<4xi32>) -> tensor<4x3x7x20xf32> {
  %0 = ein.gather "ibefd,i=a->abefd" %w, %k : (tensor<6x3x5x8x20xf32>, tensor<4xi32>) -> tensor<4x3x5x8x20xf32>
  %1 = ein.contract "acbef,abefd->abcd" %x, %0 : (tensor<4x7x3x5x8xf32>, tensor<4x3x5x8x20xf32>) -> tensor<4x3x7x20xf32>
  ein.return %1 : tensor<4x3x7x20xf32>
}
// Windows of three by three.
ein.func @windows(%x: tensor<2x8x20x20xf32>, %w: tensor<24x8x3x3xf32>) -> tensor<2x24x18x18xf32> {
  %0 = ein.window %x at affine_map<(b, c, i, j, p, q) -> (b, c, i + p, j + q)> : (tensor<2x8x20x20xf32>) -> tensor<2x8x18x18x3x3xf32>
  %1 = ein.contract "aecdfg,befg->abcd" %0, %w : (tensor<2x8x18x18x3x3xf32>, tensor<24x8x3x3xf32>) -> tensor<2x24x18x18xf32>
  ein.return %1 : tensor<2x24x18x18xf32>
}
