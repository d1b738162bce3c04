// What code generation does not do yet is refused by name.
// RUN: plc-opt %s --convert-kernels-to-loops --split-input-file --verify-diagnostics

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// expected-error @+1 {{a kernel needs 800000 bytes to keep a row but the stack has room for 524288}}
plan.kernel @long(%x: tensor<2x200000xf32>) -> tensor<2x200000xf32> attributes {kind = #plan<kind rows>} {
  %e = ein.map exp(%x) over [2, 200000] maps [#id, #id] : (tensor<2x200000xf32>) -> tensor<2x200000xf32>
  %s = ein.reduce sum(%e) over [2, 200000] maps [#id, #row] order lanes : (tensor<2x200000xf32>) -> tensor<2xf32>
  %y = ein.map div(%e, %s) over [2, 200000] maps [#id, #row, #id] : (tensor<2x200000xf32>, tensor<2xf32>) -> tensor<2x200000xf32>
  plan.yield %y : tensor<2x200000xf32>
}

// -----

#id = affine_map<(i) -> (i)>
// expected-error @+1 {{'plan.kernel' op has equations without a common domain}}
plan.kernel @apart(%x: tensor<4xf32>, %y: tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>) attributes {kind = #plan<kind rows>} {
  %0 = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ein.map exp(%y) over [5] maps [#id, #id] : (tensor<5xf32>) -> tensor<5xf32>
  plan.yield %0, %1 : tensor<4xf32>, tensor<5xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
// expected-error @+1 {{'plan.kernel' op has two reductions but kind 'columns' takes one}}
plan.kernel @twice(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) attributes {kind = #plan<kind columns>} {
  %0 = ein.reduce sum(%x) over [4, 8] maps [#id, #column] order chain : (tensor<4x8xf32>) -> tensor<8xf32>
  %1 = ein.reduce max(%x) over [4, 8] maps [#id, #column] order chain : (tensor<4x8xf32>) -> tensor<8xf32>
  plan.yield %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>
// expected-error @+1 {{'plan.kernel' op has no reduction with a domain common to its equations}}
plan.kernel @none(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind columns>} {
  %0 = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>
// expected-error @+1 {{'plan.kernel' op has 1 equations but kind 'contract' takes one 'ein.contract'}}
plan.kernel @no_contraction(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind contract>} {
  %0 = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>
// expected-error @+1 {{'plan.kernel' op has 1 equations but kind 'scatter' takes one 'ein.scatter_add'}}
plan.kernel @no_scatter(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind scatter>} {
  %0 = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}

// -----

plan.kernel @unordered(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4xf32> attributes {kind = #plan<kind contract>} {
  // expected-error @+1 {{'ein.contract' op has 2 operands but code generation takes 2, and an order}}
  %0 = ein.contract %x, %y over [4, 8] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>]
    : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}

// -----

plan.kernel @counted(%x: tensor<4x8xf32>) -> tensor<4xf32> attributes {kind = #plan<kind contract>} {
  %c = ein.constant 2.0 : tensor<f32>
  // expected-error @+1 {{'ein.contract' op reads a value that is no argument of its kernel}}
  %0 = ein.contract %x, %c over [4, 8] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i)>]
    order [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}
