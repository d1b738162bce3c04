// The order of a contraction's roundings, told apart by values whose sums differ.
// RUN: %python %S/Inputs/npy.py %t.x.npy f32 260 0x1p24 1*259
// RUN: %python %S/Inputs/npy.py %t.u.npy f32 2 -0x1.002p0 0x1.001p0
// RUN: %python %S/Inputs/npy.py %t.w.npy f32 2 1 0x1.001p0
// RUN: %python %S/Inputs/npy.py %t.v.npy f32 2x2 0x1p24 1 -0x1p24 1
// RUN: %python %S/Inputs/npy.py %t.m.npy f32 2x3 1 2 3 4 5 6
// RUN: %python %S/Inputs/npy.py %t.d.npy f32 2x2 1 inf nan 5
// RUN: plc-interpret infer %s --input x=@%t.x.npy --input u=@%t.u.npy --input w=@%t.w.npy --input v=@%t.v.npy \
// RUN:   --input m=@%t.m.npy --input d=@%t.d.npy | FileCheck %s

// A chain from 0 loses each 1 after 2^24. The second block of 4 ones is a chain of its own, added whole.
// CHECK: blocks f32[] 16777220
// fma keeps the product's bits: (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24.
// CHECK: fused f32[] 5.9604645e-08
// ((2^24 + 1) - 2^24) + 1, and ((2^24 - 2^24) + 1) + 1.
// CHECK: rows f32[] 1
// CHECK: columns f32[] 2
// CHECK: default f32[] 1
// CHECK: product f32[2, 2] 14 32 32 77
// CHECK: transposed f32[3, 3] 17 22 27 22 29 36 27 36 ...
// The diagonal of d, and each factor of three; an element that no product reads has no influence.
// CHECK: trace f32[] 6
// CHECK: three f32[2] 36 405
// CHECK: outer f32[2, 2] 1.0009768 -1.0007325 -1.0007325 1.0004883
// CHECK: batched f32[2] 14 77

ein.model @contractions(%x: tensor<260xf32>, %u: tensor<2xf32>, %w: tensor<2xf32>, %v: tensor<2x2xf32>,
    %m: tensor<2x3xf32>, %d: tensor<2x2xf32>)
    -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<2x2xf32>, tensor<3x3xf32>, tensor<f32>,
        tensor<2xf32>, tensor<2x2xf32>, tensor<2xf32>) attributes {
    arg_names = ["x", "u", "w", "v", "m", "d"], arg_batch = array<i64: -1, -1, -1, -1, -1, -1>,
    result_names = ["blocks", "fused", "rows", "columns", "default", "product", "transposed", "trace", "three", "outer",
                    "batched"],
    result_batch = array<i64: -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1>} {
  %one = ein.constant 1.0 : tensor<f32>
  %blocks = ein.contract %x, %one over [260] maps [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>]
    order [0] : (tensor<260xf32>, tensor<f32>) -> tensor<f32>
  %fused = ein.contract %u, %w over [2] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>]
    order [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  %rows = ein.contract %v, %one over [2, 2] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>,
    affine_map<(i, j) -> ()>] order [0, 1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<f32>
  %columns = ein.contract %v, %one over [2, 2] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>,
    affine_map<(i, j) -> ()>] order [1, 0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<f32>
  %default = ein.contract %v over [2, 2] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>]
    : (tensor<2x2xf32>) -> tensor<f32>
  %product = ein.contract %m, %m over [2, 2, 3] maps [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
    affine_map<(i, j, k) -> (i, j)>] order [2] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  %transposed = ein.contract %m, %m over [3, 3, 2] maps [affine_map<(i, j, k) -> (k, i)>,
    affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x3xf32>
  %trace = ein.contract %d over [2] maps [affine_map<(i) -> (i, i)>, affine_map<(i) -> ()>]
    : (tensor<2x2xf32>) -> tensor<f32>
  %three = ein.contract %m, %m, %m over [2, 3] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
    affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>] : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  %outer = ein.contract %u, %u over [2, 2] maps [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>,
    affine_map<(i, j) -> (i, j)>] order [] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %batched = ein.contract %m, %m over [2, 3] maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>,
    affine_map<(i, k) -> (i)>] order [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  ein.return %blocks, %fused, %rows, %columns, %default, %product, %transposed, %trace, %three, %outer, %batched
    : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<2x2xf32>, tensor<3x3xf32>, tensor<f32>,
      tensor<2xf32>, tensor<2x2xf32>, tensor<2xf32>
}
