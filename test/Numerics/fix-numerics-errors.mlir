// RUN: plc-opt %s --ein-fix-numerics --split-input-file --verify-diagnostics

ein.func @unlowered(%x: tensor<4x4xf32>, %r: tensor<4x!ein.real>, %v: tensor<4xf32>) -> () {
  // expected-error@+1 {{contraction has 3 factors but its order is defined for two; run --ein-order-contractions}}
  %0 = ein.contract %x, %x, %x over [4, 4, 4] maps [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
    affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, j)>]
    : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error@+1 {{contraction is no matrix product; run --ein-simplify}}
  %1 = ein.contract %x, %v over [4, 4] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
    affine_map<(i, j) -> (i)>] : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{reduction of a diagonal; run --ein-simplify}}
  %2 = ein.reduce sum(%x) over [4] maps [affine_map<(i) -> (i, i)>, affine_map<(i) -> ()>] : (tensor<4x4xf32>) -> tensor<f32>
  // expected-error@+1 {{'ein.stop' is left; run --ein-differentiate}}
  %3 = ein.stop %v : tensor<4xf32>
  // expected-error@+1 {{result is 'tensor<4x!ein.real>' but precision must be chosen; run --ein-precision}}
  %4 = ein.map exp(%r) over [4] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>]
    : (tensor<4x!ein.real>) -> tensor<4x!ein.real>
  ein.return
}
