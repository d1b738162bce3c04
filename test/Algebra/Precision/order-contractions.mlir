// RUN: plc-opt %s --ein-order-contractions --mlir-print-local-scope | FileCheck %s

// The small product first: a (b c), not (a b) c. Its result keeps what is still needed.
// CHECK-LABEL: ein.func @chain
ein.func @chain(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x2xf32>) -> tensor<64x2xf32> {
  // CHECK-NEXT: %[[BC:.*]] = ein.contract "ac,cb->ab" %arg1, %arg2 {{.*}} -> tensor<64x2xf32>
  // CHECK-NEXT: ein.contract "ac,cb->ab" %arg0, %[[BC]] : (tensor<64x64xf32>, tensor<64x2xf32>) -> tensor<64x2xf32>
  %0 = ein.contract %a, %b, %c over [64, 64, 64, 2] maps [affine_map<(i, j, k, l) -> (i, j)>,
    affine_map<(i, j, k, l) -> (j, k)>, affine_map<(i, j, k, l) -> (k, l)>, affine_map<(i, j, k, l) -> (i, l)>]
    : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x2xf32>) -> tensor<64x2xf32>
  ein.return %0 : tensor<64x2xf32>
}

// Attention's last: (p v) wo, so that heads and their size are one depth.
// CHECK-LABEL: ein.func @attention
ein.func @attention(%p: tensor<2x4x64x64xf32>, %v: tensor<2x4x64x16xf32>, %wo: tensor<4x16x64xf32>) -> tensor<2x64x64xf32> {
  // CHECK-NEXT: %[[PV:.*]] = ein.contract "abce,abed->abcd" %arg0, %arg1 {{.*}} -> tensor<2x4x64x16xf32>
  // CHECK-NEXT: ein.contract "adbe,dec->abc" %[[PV]], %arg2 : (tensor<2x4x64x16xf32>, tensor<4x16x64xf32>) -> tensor<2x64x64xf32>
  %0 = ein.contract %p, %v, %wo over [2, 4, 64, 64, 16, 64] maps [affine_map<(b, h, s, t, k, d) -> (b, h, s, t)>,
    affine_map<(b, h, s, t, k, d) -> (b, h, t, k)>, affine_map<(b, h, s, t, k, d) -> (h, k, d)>,
    affine_map<(b, h, s, t, k, d) -> (b, s, d)>]
    : (tensor<2x4x64x64xf32>, tensor<2x4x64x16xf32>, tensor<4x16x64xf32>) -> tensor<2x64x64xf32>
  ein.return %0 : tensor<2x64x64xf32>
}

// A dimension that one factor alone has is summed first; a number goes where the tensor is small.
// CHECK-LABEL: ein.func @lone
ein.func @lone(%a: tensor<8x16xf32>, %b: tensor<16x4x32xf32>, %c: tensor<f32>) -> tensor<8x4xf32> {
  // CHECK-NEXT: %[[B:.*]] = ein.reduce sum "abc->ab" %arg1 : (tensor<16x4x32xf32>) -> tensor<16x4xf32>
  // CHECK-NEXT: %[[AB:.*]] = ein.contract "ac,cb->ab" %arg0, %[[B]] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  // CHECK-NEXT: ein.map mul "ab,->ab" %[[AB]], %arg2 : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  %0 = ein.contract %a, %b, %c over [8, 4, 16, 32] maps [affine_map<(i, j, k, l) -> (i, k)>,
    affine_map<(i, j, k, l) -> (k, j, l)>, affine_map<(i, j, k, l) -> ()>, affine_map<(i, j, k, l) -> (i, j)>]
    : (tensor<8x16xf32>, tensor<16x4x32xf32>, tensor<f32>) -> tensor<8x4xf32>
  ein.return %0 : tensor<8x4xf32>
}

// More than 12 factors: pairs, the cheapest first.
// CHECK-LABEL: ein.func @many
ein.func @many(%a: tensor<4xf32>, %b: tensor<4x8xf32>) -> tensor<8xf32> {
  // CHECK-COUNT-12: ein.map mul
  // CHECK: ein.reduce sum
  // CHECK-NOT: ein.contract
  %0 = ein.contract %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %a, %b over [4, 8] maps [
    affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>,
    affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>,
    affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>,
    affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>]
    : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
       tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>) -> tensor<8xf32>
  ein.return %0 : tensor<8xf32>
}
