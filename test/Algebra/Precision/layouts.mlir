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

// A convolution of 1 by 1: the columns stay behind the channels, whichever factor comes first, and with windows of 1; few ones do not.
// CHECK-LABEL: ein.func @pointwise
ein.func @pointwise(%x: tensor<2x3x8x1x8xf32>, %w: tensor<5x3xf32>, %s: tensor<2x3x7x7xf32>, %u: tensor<5x3x1xf32>) -> tensor<2xf32> {
  // CHECK: ein.contract "aecfd,bef->abcd" {{.*}} -> tensor<2x5x8x8xf32>
  %y = ein.contract %x, %u over [2, 8, 8, 5, 3, 1] maps [affine_map<(b, i, j, o, c, p) -> (b, c, i, p, j)>,
    affine_map<(b, i, j, o, c, p) -> (o, c, p)>, affine_map<(b, i, j, o, c, p) -> (b, i, j, o)>]
    : (tensor<2x3x8x1x8xf32>, tensor<5x3x1xf32>) -> tensor<2x8x8x5xf32>
  // CHECK: ein.contract "bef,aecfd->abcd" {{.*}} -> tensor<2x5x8x8xf32>
  %z = ein.contract %u, %x over [2, 8, 8, 5, 3, 1] maps [affine_map<(b, i, j, o, c, p) -> (o, c, p)>,
    affine_map<(b, i, j, o, c, p) -> (b, c, i, p, j)>, affine_map<(b, i, j, o, c, p) -> (b, i, j, o)>]
    : (tensor<5x3x1xf32>, tensor<2x3x8x1x8xf32>) -> tensor<2x8x8x5xf32>
  // CHECK: ein.contract {{.*}} -> tensor<2x7x7x5xf32>
  %v = ein.contract %s, %w over [2, 5, 7, 7, 3] maps [affine_map<(b, o, i, j, c) -> (b, c, i, j)>,
    affine_map<(b, o, i, j, c) -> (o, c)>, affine_map<(b, o, i, j, c) -> (b, o, i, j)>]
    : (tensor<2x3x7x7xf32>, tensor<5x3xf32>) -> tensor<2x5x7x7xf32>
  %p = ein.reduce sum(%y) over [2, 8, 8, 5] maps [affine_map<(b, i, j, o) -> (b, i, j, o)>, affine_map<(b, i, j, o) -> (b)>] : (tensor<2x8x8x5xf32>) -> tensor<2xf32>
  %q = ein.reduce sum(%z) over [2, 8, 8, 5] maps [affine_map<(b, i, j, o) -> (b, i, j, o)>, affine_map<(b, i, j, o) -> (b)>] : (tensor<2x8x8x5xf32>) -> tensor<2xf32>
  %r = ein.reduce sum(%v) over [2, 5, 7, 7] maps [affine_map<(b, o, i, j) -> (b, o, i, j)>, affine_map<(b, o, i, j) -> (b)>] : (tensor<2x5x7x7xf32>) -> tensor<2xf32>
  %t = ein.map add(%p, %q) over [2] maps [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>, affine_map<(b) -> (b)>] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %m = ein.map add(%t, %r) over [2] maps [affine_map<(b) -> (b)>, affine_map<(b) -> (b)>, affine_map<(b) -> (b)>] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  ein.return %m : tensor<2xf32>
}
