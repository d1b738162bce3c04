// Kernels that read through windows, and copies into parts, have the interpreter's bits.
// RUN: %unit/kernel-check %s | FileCheck %s
// RUN: %unit/kernel-check %s avx avx2 fma | FileCheck %s
// RUN: sed s/f32/f64/g %s > %t && %unit/kernel-check %t | FileCheck %s
// RUN: plc-opt %s --form-kernels | FileCheck %s --check-prefix=KERNELS
// CHECK: 16 of 16 bodies equal

#ij = affine_map<(i, j) -> (i, j)>
#conv = [affine_map<(n, k, i, j, c, p, q) -> (n, c, i, p, j, q)>, affine_map<(n, k, i, j, c, p, q) -> (k, c, p, q)>,
         affine_map<(n, k, i, j, c, p, q) -> (n, k, i, j)>]

// A convolution of several rows to a vector, whose sums go over more than a block: tiles, nothing is copied before.
// KERNELS: plan.kernel @conv.0({{.*}}by tiles
// KERNELS-NEXT: ein.window
// KERNELS-NEXT: ein.contract
ein.func @conv(%x: tensor<2x40x9x12xf32>, %w: tensor<13x40x3x3xf32>) -> tensor<2x13x7x10xf32> {
  %0 = ein.window %x at affine_map<(n, c, i, p, j, q) -> (n, c, i + p, j + q)>
    : (tensor<2x40x9x12xf32>) -> tensor<2x40x7x3x10x3xf32>
  %1 = ein.contract %0, %w over [2, 13, 7, 10, 40, 3, 3] maps #conv order [4, 5, 6]
    : (tensor<2x40x7x3x10x3xf32>, tensor<13x40x3x3xf32>) -> tensor<2x13x7x10xf32>
  ein.return %1 : tensor<2x13x7x10xf32>
}
// Rows shorter than a vector, which has columns of several of them, and of too many.
ein.func @short(%x: tensor<2x40x9x9xf32>, %w: tensor<13x40x3x3xf32>) -> tensor<2x13x7x7xf32> {
  %0 = ein.window %x at affine_map<(n, c, i, p, j, q) -> (n, c, i + p, j + q)>
    : (tensor<2x40x9x9xf32>) -> tensor<2x40x7x3x7x3xf32>
  %1 = ein.contract %0, %w over [2, 13, 7, 7, 40, 3, 3] maps #conv order [4, 5, 6]
    : (tensor<2x40x7x3x7x3xf32>, tensor<13x40x3x3xf32>) -> tensor<2x13x7x7xf32>
  ein.return %1 : tensor<2x13x7x7xf32>
}
ein.func @shortest(%x: tensor<2x40x19x4xf32>, %w: tensor<13x40x3x3xf32>) -> tensor<2x13x17x2xf32> {
  %0 = ein.window %x at affine_map<(n, c, i, p, j, q) -> (n, c, i + p, j + q)>
    : (tensor<2x40x19x4xf32>) -> tensor<2x40x17x3x2x3xf32>
  %1 = ein.contract %0, %w over [2, 13, 17, 2, 40, 3, 3] maps #conv order [4, 5, 6]
    : (tensor<2x40x17x3x2x3xf32>, tensor<13x40x3x3xf32>) -> tensor<2x13x17x2xf32>
  ein.return %1 : tensor<2x13x17x2xf32>
}
// Images that fill no whole number of vectors: columns are those of all images, and a vector has some of two.
// KERNELS: plan.kernel @images.0({{.*}}by tiles
ein.func @images(%x: tensor<9x40x9x9xf32>, %w: tensor<13x40x3x3xf32>) -> tensor<9x13x7x7xf32> {
  %0 = ein.window %x at affine_map<(n, c, i, p, j, q) -> (n, c, i + p, j + q)>
    : (tensor<9x40x9x9xf32>) -> tensor<9x40x7x3x7x3xf32>
  %1 = ein.contract %0, %w over [9, 13, 7, 7, 40, 3, 3] maps #conv order [4, 5, 6]
    : (tensor<9x40x7x3x7x3xf32>, tensor<13x40x3x3xf32>) -> tensor<9x13x7x7xf32>
  ein.return %1 : tensor<9x13x7x7xf32>
}
// The same of windows of one element.
ein.func @pointwise(%x: tensor<5x20x17xf32>, %w: tensor<50x20xf32>) -> tensor<5x50x17xf32> {
  %0 = ein.contract %x, %w over [5, 50, 17, 20]
    maps [affine_map<(n, k, i, c) -> (n, c, i)>, affine_map<(n, k, i, c) -> (k, c)>, affine_map<(n, k, i, c) -> (n, k, i)>]
    order [3] : (tensor<5x20x17xf32>, tensor<50x20xf32>) -> tensor<5x50x17xf32>
  ein.return %0 : tensor<5x50x17xf32>
}
// By strides, with rows longer than a vector.
// KERNELS: plan.kernel @strided.0({{.*}}by tiles
ein.func @strided(%x: tensor<2x5x13x83xf32>, %w: tensor<50x5x3x3xf32>) -> tensor<2x50x6x41xf32> {
  %0 = ein.window %x at affine_map<(n, c, i, p, j, q) -> (n, c, i * 2 + p, j * 2 + q)>
    : (tensor<2x5x13x83xf32>) -> tensor<2x5x6x3x41x3xf32>
  %1 = ein.contract %0, %w over [2, 50, 6, 41, 5, 3, 3] maps #conv order [4, 5, 6]
    : (tensor<2x5x6x3x41x3xf32>, tensor<50x5x3x3xf32>) -> tensor<2x50x6x41xf32>
  ein.return %1 : tensor<2x50x6x41xf32>
}
// Rows that go backward.
ein.func @turned(%x: tensor<2x5x9x70xf32>, %w: tensor<6x5x3x3xf32>) -> tensor<2x6x7x68xf32> {
  %0 = ein.window %x at affine_map<(n, c, i, p, j, q) -> (n, c, i - p + 2, 69 - j - q)>
    : (tensor<2x5x9x70xf32>) -> tensor<2x5x7x3x68x3xf32>
  %1 = ein.contract %0, %w over [2, 6, 7, 68, 5, 3, 3] maps #conv order [4, 5, 6]
    : (tensor<2x5x7x3x68x3xf32>, tensor<6x5x3x3xf32>) -> tensor<2x6x7x68xf32>
  ein.return %1 : tensor<2x6x7x68xf32>
}
// The gradient of the weights: sums over samples and places.
// KERNELS: plan.kernel @weights.0({{.*}}by tiles
ein.func @weights(%x: tensor<3x5x9x12xf32>, %dy: tensor<3x50x7x10xf32>) -> tensor<50x5x3x3xf32> {
  %0 = ein.window %x at affine_map<(n, c, i, p, j, q) -> (n, c, i + p, j + q)>
    : (tensor<3x5x9x12xf32>) -> tensor<3x5x7x3x10x3xf32>
  %1 = ein.contract %dy, %0 over [50, 5, 3, 3, 3, 7, 10]
    maps [affine_map<(k, c, p, q, n, i, j) -> (n, k, i, j)>, affine_map<(k, c, p, q, n, i, j) -> (n, c, i, p, j, q)>,
          affine_map<(k, c, p, q, n, i, j) -> (k, c, p, q)>] order [4, 5, 6]
    : (tensor<3x50x7x10xf32>, tensor<3x5x7x3x10x3xf32>) -> tensor<50x5x3x3xf32>
  ein.return %1 : tensor<50x5x3x3xf32>
}
// Channels last: the windows are rows.
ein.func @last(%x: tensor<2x9x12x40xf32>, %w: tensor<3x3x40x48xf32>) -> tensor<2x7x10x48xf32> {
  %0 = ein.window %x at affine_map<(n, i, p, j, q, c) -> (n, i + p, j + q, c)>
    : (tensor<2x9x12x40xf32>) -> tensor<2x7x3x10x3x40xf32>
  %1 = ein.contract %0, %w over [2, 7, 10, 48, 3, 3, 40]
    maps [affine_map<(n, i, j, k, p, q, c) -> (n, i, p, j, q, c)>, affine_map<(n, i, j, k, p, q, c) -> (p, q, c, k)>,
          affine_map<(n, i, j, k, p, q, c) -> (n, i, j, k)>] order [4, 5, 6]
    : (tensor<2x7x3x10x3x40xf32>, tensor<3x3x40x48xf32>) -> tensor<2x7x10x48xf32>
  ein.return %1 : tensor<2x7x10x48xf32>
}
// A channel by itself is no product of matrices.
ein.func @depthwise(%x: tensor<2x5x9x40xf32>, %w: tensor<5x3xf32>) -> tensor<2x5x9x38xf32> {
  %0 = ein.window %x at affine_map<(n, c, i, j, q) -> (n, c, i, j + q)> : (tensor<2x5x9x40xf32>) -> tensor<2x5x9x38x3xf32>
  %1 = ein.contract %0, %w over [2, 5, 9, 38, 3]
    maps [affine_map<(n, c, i, j, q) -> (n, c, i, j, q)>, affine_map<(n, c, i, j, q) -> (c, q)>,
          affine_map<(n, c, i, j, q) -> (n, c, i, j)>] order [4]
    : (tensor<2x5x9x38x3xf32>, tensor<5x3xf32>) -> tensor<2x5x9x38xf32>
  ein.return %1 : tensor<2x5x9x38xf32>
}
// Elementwise: a part, every second element, and backward.
ein.func @elementwise(%x: tensor<7x40xf32>) -> tensor<7x19xf32> {
  %0 = ein.window %x at affine_map<(i, j) -> (i, j + 20)> : (tensor<7x40xf32>) -> tensor<7x19xf32>
  %1 = ein.window %x at affine_map<(i, j) -> (6 - i, j * 2 + 1)> : (tensor<7x40xf32>) -> tensor<7x19xf32>
  %2 = ein.window %x at affine_map<(i, j) -> (i, 39 - j)> : (tensor<7x40xf32>) -> tensor<7x19xf32>
  %3 = ein.map mul "ab,ab->ab" %0, %1 : (tensor<7x19xf32>, tensor<7x19xf32>) -> tensor<7x19xf32>
  %4 = ein.map add "ab,ab->ab" %3, %2 : (tensor<7x19xf32>, tensor<7x19xf32>) -> tensor<7x19xf32>
  ein.return %4 : tensor<7x19xf32>
}
// A value of the body in windows, reduced: two kernels.
ein.func @reduced(%x: tensor<7x40xf32>) -> (tensor<7x38xf32>, tensor<7xf32>) {
  %0 = ein.map exp "ab->ab" %x : (tensor<7x40xf32>) -> tensor<7x40xf32>
  %1 = ein.window %0 at affine_map<(i, j, p) -> (i, j + p)> : (tensor<7x40xf32>) -> tensor<7x38x3xf32>
  %2 = ein.reduce max "abc->ab" %1 order lanes : (tensor<7x38x3xf32>) -> tensor<7x38xf32>
  %3 = ein.reduce sum "abc->a" %1 order lanes : (tensor<7x38x3xf32>) -> tensor<7xf32>
  ein.return %2, %3 : tensor<7x38xf32>, tensor<7xf32>
}
// Windows that are given are copies, and so are axes that they draw apart and a merge joins.
ein.func @given(%x: tensor<5x12xf32>) -> (tensor<5x10x3xf32>, tensor<5x30xf32>, tensor<5x4xf32>) {
  %0 = ein.window %x at affine_map<(i, j, p) -> (i, j + p)> : (tensor<5x12xf32>) -> tensor<5x10x3xf32>
  %1 = ein.merge %0 axis 1 : (tensor<5x10x3xf32>) -> tensor<5x30xf32>
  %2 = ein.window %1 at affine_map<(i, j) -> (i, j * 3 + 2)> : (tensor<5x30xf32>) -> tensor<5x4xf32>
  ein.return %0, %1, %2 : tensor<5x10x3xf32>, tensor<5x30xf32>, tensor<5x4xf32>
}
// Rows between zeros.
// KERNELS: plan.kernel @placed.0({{.*}}by insert_slice
ein.func @placed(%x: tensor<3x5x37xf32>) -> tensor<4x9x41xf32> {
  %0 = ein.insert_slice %x at affine_map<(i, j, k) -> (i + 1, j * 2, k + 3)> : (tensor<3x5x37xf32>) -> tensor<4x9x41xf32>
  ein.return %0 : tensor<4x9x41xf32>
}
// Elements between zeros, from windows.
ein.func @spread(%x: tensor<6x40xf32>) -> tensor<4x43xf32> {
  %0 = ein.window %x at affine_map<(i, j) -> (i + 2, j * 2)> : (tensor<6x40xf32>) -> tensor<4x20xf32>
  %1 = ein.insert_slice %0 at affine_map<(i, j) -> (i, j * 2 + 4)> : (tensor<4x20xf32>) -> tensor<4x43xf32>
  ein.return %1 : tensor<4x43xf32>
}
// A part that is added at positions.
ein.func @scattered(%x: tensor<6x40xf32>) -> tensor<6x3xf32> {
  %0 = ein.window %x at affine_map<(i, j) -> (i, j + 33)> : (tensor<6x40xf32>) -> tensor<6x7xf32>
  %2 = ein.iota : tensor<7xi32>
  %3 = ein.constant 3.0 : tensor<i32>
  %4 = ein.map floor_mod "a,->a" %2, %3 : (tensor<7xi32>, tensor<i32>) -> tensor<7xi32>
  %5 = ein.scatter_add "ab,i=b->ai" %0, %4 : (tensor<6x7xf32>, tensor<7xi32>) -> tensor<6x3xf32>
  ein.return %5 : tensor<6x3xf32>
}
