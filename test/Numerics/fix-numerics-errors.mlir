// RUN: plc-opt %s --ein-fix-numerics --split-input-file --verify-diagnostics

ein.func @factors(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{contraction has 3 factors but its order is defined for two: run '--ein-order-contractions' first}}
  %0 = ein.contract %x, %x, %x over [4, 4, 4] maps [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
    affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (i, j)>]
    : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  ein.return
}

// -----

ein.func @product(%v: tensor<4xf32>) {
  // expected-error@+1 {{contraction is no matrix product: run '--ein-simplify' first}}
  %0 = ein.contract %v, %v over [4] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>]
    : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  ein.return
}

// -----

ein.func @diagonal(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{reduction of a diagonal: run '--ein-simplify' first}}
  %0 = ein.reduce sum(%x) over [4] maps [affine_map<(i) -> (i, i)>, affine_map<(i) -> ()>] : (tensor<4x4xf32>) -> tensor<f32>
  ein.return
}

// -----

ein.func @next(%v: tensor<4xf32>, %m: tensor<4xf32>) attributes {num_params = 1 : i64} {
  // expected-error@+1 {{'ein.next' is left: run '--ein-differentiate' first}}
  %0 = ein.next %v, %m = %v : tensor<4xf32>, tensor<4xf32>
  ein.return
}

// -----

ein.func @stop(%v: tensor<4xf32>) {
  // expected-error@+1 {{'ein.stop' is left: run '--ein-differentiate' first}}
  %0 = ein.stop %v : tensor<4xf32>
  ein.return
}

// -----

// Of many the first is told: one pass is missing.
ein.func @precision(%r: tensor<4x!ein.real>) {
  // expected-error@+1 {{result is 'tensor<4x!ein.real>' but precision must be chosen: run '--ein-precision' first}}
  %0 = ein.map exp(%r) over [4] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>]
    : (tensor<4x!ein.real>) -> tensor<4x!ein.real>
  %1 = ein.map exp(%r) over [4] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>]
    : (tensor<4x!ein.real>) -> tensor<4x!ein.real>
  ein.return
}
