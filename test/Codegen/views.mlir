// Kernels that read through splits and merges, and give their result through one, have the interpreter's bits.
// RUN: %unit/kernel-check %s | FileCheck %s
// RUN: %unit/kernel-check %s avx avx2 fma | FileCheck %s
// RUN: sed s/f32/f64/g %s > %t && %unit/kernel-check %t | FileCheck %s
// CHECK: 8 of 8 bodies equal

#i = affine_map<(i) -> (i)>
#ij = affine_map<(i, j) -> (i, j)>
#ijk = affine_map<(i, j, k) -> (i, j, k)>

// A contraction over one part, whose result is split.
ein.func @contract(%x: tensor<6x38xf32>, %w: tensor<2x24xf32>) -> tensor<6x19x6x4xf32> {
  %0 = ein.split %x axis 1 : (tensor<6x38xf32>) -> tensor<6x19x2xf32>
  %1 = ein.contract %0, %w over [6, 19, 24, 2] maps [affine_map<(b, i, n, p) -> (b, i, p)>, affine_map<(b, i, n, p) -> (p, n)>,
    affine_map<(b, i, n, p) -> (b, i, n)>] order [3] : (tensor<6x19x2xf32>, tensor<2x24xf32>) -> tensor<6x19x24xf32>
  %2 = ein.split %1 axis 2 : (tensor<6x19x24xf32>) -> tensor<6x19x6x4xf32>
  ein.return %2 : tensor<6x19x6x4xf32>
}
// Elementwise, transposed, the result merged; its other reader goes back through the merge.
ein.func @elementwise(%x: tensor<7x6xf32>, %y: tensor<3x7x2xf32>) -> (tensor<42xf32>, tensor<7x3xf32>) {
  %0 = ein.split %x axis 1 : (tensor<7x6xf32>) -> tensor<7x3x2xf32>
  %1 = ein.map mul(%0, %y) over [7, 3, 2] maps [#ijk, affine_map<(i, j, k) -> (j, i, k)>, #ijk]
    : (tensor<7x3x2xf32>, tensor<3x7x2xf32>) -> tensor<7x3x2xf32>
  %2 = ein.merge %1 axis 0 : (tensor<7x3x2xf32>) -> tensor<42xf32>
  %3 = ein.reduce max(%1) over [7, 3, 2] maps [#ijk, affine_map<(i, j, k) -> (i, j)>] order lanes : (tensor<7x3x2xf32>) -> tensor<7x3xf32>
  ein.return %2, %3 : tensor<42xf32>, tensor<7x3xf32>
}
// An argument seen otherwise is a result: a copy.
ein.func @returned(%x: tensor<5x6xf32>) -> (tensor<5x3x2xf32>, tensor<30xf32>) {
  %0 = ein.split %x axis 1 : (tensor<5x6xf32>) -> tensor<5x3x2xf32>
  %1 = ein.merge %x axis 0 : (tensor<5x6xf32>) -> tensor<30xf32>
  ein.return %0, %1 : tensor<5x3x2xf32>, tensor<30xf32>
}
// One value under two shapes, and itself: copies, too.
ein.func @both(%x: tensor<5x6xf32>) -> (tensor<5x6xf32>, tensor<5x3x2xf32>, tensor<30xf32>) {
  %0 = ein.map neg(%x) over [5, 6] maps [#ij, #ij] : (tensor<5x6xf32>) -> tensor<5x6xf32>
  %1 = ein.split %0 axis 1 : (tensor<5x6xf32>) -> tensor<5x3x2xf32>
  %2 = ein.merge %0 axis 0 : (tensor<5x6xf32>) -> tensor<30xf32>
  ein.return %0, %1, %2 : tensor<5x6xf32>, tensor<5x3x2xf32>, tensor<30xf32>
}
// A value that is read as made and under another shape, by equations that would align: two kernels.
ein.func @square(%x: tensor<4x4xf32>) -> tensor<4x2x2xf32> {
  %0 = ein.map exp(%x) over [4, 4] maps [#ij, #ij] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = ein.split %0 axis 0 : (tensor<4x4xf32>) -> tensor<2x2x4xf32>
  %2 = ein.merge %1 axis 1 : (tensor<2x2x4xf32>) -> tensor<2x8xf32>
  %3 = ein.split %2 axis 1 : (tensor<2x8xf32>) -> tensor<2x4x2xf32>
  %4 = ein.merge %3 axis 0 : (tensor<2x4x2xf32>) -> tensor<8x2xf32>
  %5 = ein.split %4 axis 0 : (tensor<8x2xf32>) -> tensor<4x2x2xf32>
  %6 = ein.split %0 axis 1 : (tensor<4x4xf32>) -> tensor<4x2x2xf32>
  %7 = ein.reduce sum(%0) over [4, 4] maps [#ij, affine_map<(i, j) -> (i)>] order lanes : (tensor<4x4xf32>) -> tensor<4xf32>
  %8 = ein.map sub(%5, %7) over [4, 2, 2] maps [#ijk, affine_map<(i, j, k) -> (i)>, #ijk] : (tensor<4x2x2xf32>, tensor<4xf32>) -> tensor<4x2x2xf32>
  %9 = ein.map mul(%8, %6) over [4, 2, 2] maps [#ijk, #ijk, #ijk] : (tensor<4x2x2xf32>, tensor<4x2x2xf32>) -> tensor<4x2x2xf32>
  ein.return %9 : tensor<4x2x2xf32>
}
// What costs nothing to make has memory where a view shows it.
ein.func @free(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = ein.iota : tensor<12xi32>
  %1 = ein.cast %0 : (tensor<12xi32>) -> tensor<12xf32>
  %2 = ein.split %1 axis 0 : (tensor<12xf32>) -> tensor<3x4xf32>
  %3 = ein.map add(%x, %2) over [3, 4] maps [#ij, #ij, #ij] : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  ein.return %3 : tensor<3x4xf32>
}
// A table and its positions; updates that are added.
ein.func @gather(%x: tensor<7x12xf32>, %t: tensor<6xi32>) -> tensor<3x2x4xf32> {
  %0 = ein.split %x axis 1 : (tensor<7x12xf32>) -> tensor<7x3x4xf32>
  %1 = ein.split %t axis 0 : (tensor<6xi32>) -> tensor<3x2xi32>
  %2 = ein.gather %0, %1 over [3, 2, 4] maps [affine_map<(i, j, k)[s] -> (s, i, k)>, affine_map<(i, j, k) -> (i, j)>, #ijk]
    : (tensor<7x3x4xf32>, tensor<3x2xi32>) -> tensor<3x2x4xf32>
  ein.return %2 : tensor<3x2x4xf32>
}
ein.func @scatter(%u: tensor<6x16xf32>, %t: tensor<6xi32>) -> tensor<7x32xf32> {
  %0 = ein.split %u axis 0 : (tensor<6x16xf32>) -> tensor<3x2x16xf32>
  %1 = ein.split %t axis 0 : (tensor<6xi32>) -> tensor<3x2xi32>
  %2 = ein.scatter_add %0, %1 over [3, 2, 16] maps [#ijk, affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k)[s] -> (s, j, k)>]
    : (tensor<3x2x16xf32>, tensor<3x2xi32>) -> tensor<7x2x16xf32>
  %3 = ein.merge %2 axis 1 : (tensor<7x2x16xf32>) -> tensor<7x32xf32>
  ein.return %3 : tensor<7x32xf32>
}
