// Axes inside a body: rows of the first factor, then columns of the second, so that they merge.
// RUN: plc-opt %s --ein-order-contractions --mlir-print-local-scope | FileCheck %s
// RUN: plc-opt %s --ein-order-contractions --remarks-filter='.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Passed] Permuted | Category:ein-order-contractions | Remark="axes 0, 2, 1, 3 in this order, as in what it is computed from"

// The head axis moves behind the position: (b, s) x d times d x (h, k) is one matrix product.
// CHECK-LABEL: ein.func @internal
ein.func @internal(%n: tensor<2x16x8xf32>, %w: tensor<8x4x3xf32>) -> tensor<2x4xf32> {
  // CHECK: %[[Q:.*]] = ein.contract "abe,ecd->abcd" {{.*}} : {{.*}} -> tensor<2x16x4x3xf32>
  %q = ein.contract %n, %w over [2, 4, 16, 3, 8] maps [affine_map<(b, h, s, k, d) -> (b, s, d)>,
    affine_map<(b, h, s, k, d) -> (d, h, k)>, affine_map<(b, h, s, k, d) -> (b, h, s, k)>]
    : (tensor<2x16x8xf32>, tensor<8x4x3xf32>) -> tensor<2x4x16x3xf32>
  // Casts, stops, maps and reductions follow.
  // CHECK: ein.stop %[[Q]] : tensor<2x16x4x3xf32>
  %r = ein.stop %q : tensor<2x4x16x3xf32>
  // CHECK: %[[E:.*]] = ein.map exp "abcd->abcd" %{{.*}} : (tensor<2x16x4x3xf32>) -> tensor<2x16x4x3xf32>
  %e = ein.map exp(%r) over [2, 4, 16, 3] maps [affine_map<(b, h, s, k) -> (b, h, s, k)>,
    affine_map<(b, h, s, k) -> (b, h, s, k)>] : (tensor<2x4x16x3xf32>) -> tensor<2x4x16x3xf32>
  // CHECK: %[[M:.*]] = ein.reduce max "abcd->abc" %[[E]] {{.*}} -> tensor<2x16x4xf32>
  %m = ein.reduce max(%e) over [2, 4, 16, 3] maps [affine_map<(b, h, s, k) -> (b, h, s, k)>,
    affine_map<(b, h, s, k) -> (b, h, s)>] : (tensor<2x4x16x3xf32>) -> tensor<2x4x16xf32>
  // What the body returns keeps its order.
  // CHECK: ein.reduce sum "abc->ac" %[[M]] : (tensor<2x16x4xf32>) -> tensor<2x4xf32>
  %s = ein.reduce sum(%m) over [2, 4, 16] maps [affine_map<(b, h, s) -> (b, h, s)>, affine_map<(b, h, s) -> (b, h)>]
    : (tensor<2x4x16xf32>) -> tensor<2x4xf32>
  ein.return %s : tensor<2x4xf32>
}

// Returned, directly or through a cast: it stays.
// CHECK-LABEL: ein.func @returned
ein.func @returned(%n: tensor<2x16x8xf32>, %w: tensor<8x4x3xf32>) -> (tensor<2x4x16x3xf32>, tensor<2x4x16x3xf64>) {
  // CHECK: ein.contract "ace,ebd->abcd" {{.*}} -> tensor<2x4x16x3xf32>
  // CHECK: ein.map exp "abcd->abcd" {{.*}} -> tensor<2x4x16x3xf32>
  %q = ein.contract %n, %w over [2, 4, 16, 3, 8] maps [affine_map<(b, h, s, k, d) -> (b, s, d)>,
    affine_map<(b, h, s, k, d) -> (d, h, k)>, affine_map<(b, h, s, k, d) -> (b, h, s, k)>]
    : (tensor<2x16x8xf32>, tensor<8x4x3xf32>) -> tensor<2x4x16x3xf32>
  %e = ein.map exp(%q) over [2, 4, 16, 3] maps [affine_map<(b, h, s, k) -> (b, h, s, k)>,
    affine_map<(b, h, s, k) -> (b, h, s, k)>] : (tensor<2x4x16x3xf32>) -> tensor<2x4x16x3xf32>
  %c = ein.cast %e : (tensor<2x4x16x3xf32>) -> tensor<2x4x16x3xf64>
  ein.return %q, %c : tensor<2x4x16x3xf32>, tensor<2x4x16x3xf64>
}
