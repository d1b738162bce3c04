// Equations that are not ready for kernels are refused.
// RUN: plc-opt %s --form-kernels --split-input-file --verify-diagnostics

ein.func @unordered(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'ein.reduce' op has no order: run '--ein-fix-numerics' first}}
  %s = ein.reduce sum(%x) over [4, 8] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>]
    : (tensor<4x8xf32>) -> tensor<4xf32>
  ein.return %s : tensor<4xf32>
}

// -----

ein.func @unordered_contraction(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'ein.contract' op has no order: run '--ein-fix-numerics' first}}
  %s = ein.contract %x, %y over [4, 8] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>]
    : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
  ein.return %s : tensor<4xf32>
}

// -----

ein.func @ternary(%x: tensor<8xf32>) -> tensor<f32> {
  // expected-error @+1 {{'ein.contract' op has 3 operands but a kernel takes 2: run '--ein-order-contractions' first}}
  %s = ein.contract %x, %x, %x over [8] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
    affine_map<(i) -> ()>] order [0] : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  ein.return %s : tensor<f32>
}

// -----

ein.func @callee(%x: tensor<8xf32>) -> tensor<8xf32> {
  ein.return %x : tensor<8xf32>
}
ein.func @nested(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'ein.call' op is no equation that a kernel can hold}}
  %y = ein.call @callee(%x) path "a" : (tensor<8xf32>) -> tensor<8xf32>
  ein.return %y : tensor<8xf32>
}

// -----

ein.func @real(%x: tensor<4x!ein.real>) -> tensor<4x!ein.real> {
  // expected-error @+1 {{'ein.map' op has elements of type '!ein.real': run '--ein-precision' first}}
  %y = ein.map exp(%x) over [4] maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>]
    : (tensor<4x!ein.real>) -> tensor<4x!ein.real>
  ein.return %y : tensor<4x!ein.real>
}

// -----

ein.func @points(%x: tensor<33554432xf32>) -> tensor<f32> {
  // expected-error @+1 {{runs over more than 2^48 points}}
  %s = ein.contract %x, %x over [33554432, 33554432] maps [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> ()>]
    order [0, 1] : (tensor<33554432xf32>, tensor<33554432xf32>) -> tensor<f32>
  ein.return %s : tensor<f32>
}

// -----

ein.func @table(%x: tensor<562949953421312xf32>, %t: tensor<2xi32>) -> tensor<2xf32> {
  // expected-error @+1 {{reads a tensor of more than 2^48 elements}}
  %s = ein.gather %x, %t over [2] maps [affine_map<(n)[i] -> (i)>, affine_map<(n) -> (n)>, affine_map<(n) -> (n)>] : (tensor<562949953421312xf32>, tensor<2xi32>) -> tensor<2xf32>
  ein.return %s : tensor<2xf32>
}
