// What looks like an identity of --ein-simplify and is none: a function for each side condition of its patterns.
// RUN: plc-opt %s --ein-simplify --split-input-file --mlir-print-local-scope | FileCheck %s

#i = affine_map<(i) -> (i)>
#all = affine_map<(i) -> ()>
#ij = affine_map<(i, j) -> (i, j)>

// One over x is no copy of x; sums with 0 and products with 0 are not exact for -0 and for infinities.
// CHECK-LABEL: ein.func @not_neutral
ein.func @not_neutral(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: ein.map div
  // CHECK-DAG: ein.map add
  // CHECK-DAG: ein.map pow
  // CHECK-NOT: ein.map id
  %one = ein.constant 1.0 : tensor<f32>
  %zero = ein.constant 0.0 : tensor<f32>
  %0 = ein.map div(%one, %a) over [4] maps [#all, #i, #i] : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = ein.map add(%zero, %a) over [4] maps [#all, #i, #i] : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = ein.map pow(%a, %one) over [4] maps [#i, #all, #i] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  ein.return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A reader cannot do a diagonal of what the copy repeats.
// CHECK-LABEL: ein.func @diagonal
ein.func @diagonal(%a: tensor<4x4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[D:.*]] = ein.map id "aa->a" %arg0
  // CHECK-NEXT: ein.map exp "a->a" %[[D]]
  %0 = ein.map id(%a) over [4] maps [affine_map<(i) -> (i, i)>, #i] : (tensor<4x4xf32>) -> tensor<4xf32>
  %1 = ein.map exp(%0) over [4] maps [#i, #i] : (tensor<4xf32>) -> tensor<4xf32>
  ein.return %1 : tensor<4xf32>
}

// A table keeps its extents, which indices are checked against; positions are read through their copy.
// CHECK-LABEL: ein.func @table
ein.func @table(%row: tensor<3xf32>, %at: tensor<2x4xi32>) -> tensor<4x2x3xf32> {
  // CHECK-NEXT: %[[T:.*]] = ein.map id "b->ab" %arg0
  // CHECK-NEXT: ein.gather {{".*"}} %[[T]], %arg1
  %table = ein.map id(%row) over [8, 3] maps [affine_map<(i, j) -> (j)>, #ij] : (tensor<3xf32>) -> tensor<8x3xf32>
  %turned = ein.map id(%at) over [4, 2] maps [affine_map<(i, j) -> (j, i)>, #ij] : (tensor<2x4xi32>) -> tensor<4x2xi32>
  %0 = ein.gather %table, %turned over [4, 2, 3] maps [affine_map<(i, j, k)[s] -> (s, k)>,
    affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j, k)>]
    : (tensor<8x3xf32>, tensor<4x2xi32>) -> tensor<4x2x3xf32>
  ein.return %0 : tensor<4x2x3xf32>
}

// No result is an argument: a returned copy of one stays, one that something else reads does not.
// CHECK-LABEL: ein.func @returned
ein.func @returned(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[C:.*]] = ein.map id "a->a" %arg0
  // CHECK-NEXT: %[[E:.*]] = ein.map exp "a->a" %arg0
  // CHECK-NEXT: ein.return %[[C]], %[[E]]
  %0 = ein.map id(%a) over [4] maps [#i, #i] : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ein.map exp(%0) over [4] maps [#i, #i] : (tensor<4xf32>) -> tensor<4xf32>
  ein.return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A split along another axis, or into other parts, undoes nothing.
// CHECK-LABEL: ein.func @views
ein.func @views(%x: tensor<6x6xf32>) -> tensor<6x3x2xf32> {
  // CHECK: ein.split %{{.*}} axis 1 : (tensor<6x6xf32>) -> tensor<6x2x3xf32>
  // CHECK-NEXT: ein.map exp
  // CHECK-NEXT: ein.merge
  // CHECK-NEXT: ein.split %{{.*}} axis 1 : (tensor<6x6xf32>) -> tensor<6x3x2xf32>
  %0 = ein.split %x axis 1 : (tensor<6x6xf32>) -> tensor<6x2x3xf32>
  %1 = ein.map exp(%0) over [6, 2, 3] maps [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>]
    : (tensor<6x2x3xf32>) -> tensor<6x2x3xf32>
  %2 = ein.merge %1 axis 1 : (tensor<6x2x3xf32>) -> tensor<6x6xf32>
  %3 = ein.split %2 axis 1 : (tensor<6x6xf32>) -> tensor<6x3x2xf32>
  ein.return %3 : tensor<6x3x2xf32>
}

// -----

#i = affine_map<(i) -> (i)>

// A call that accumulates is not dead, whoever reads its results; another one is.
ein.param @w : tensor<4xf32> init normal(1.0, 0.0)
ein.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ein.map exp(%x) over [4] maps [#i, #i] : (tensor<4xf32>) -> tensor<4xf32>
  ein.return %0 : tensor<4xf32>
}
ein.func @weights(%x: tensor<4xf32>, %site: tensor<4xf32>) -> tensor<4xf32>
    attributes {num_accumulators = 1 : i64, role = "W"} {
  %0 = ein.reduce sum(%x) over [4] maps [#i, #i] into %site : tensor<4xf32> : (tensor<4xf32>) -> tensor<4xf32>
  ein.return %0 : tensor<4xf32>
}
// CHECK-LABEL: ein.model @m
ein.model @m(%x: tensor<4xf32>) -> (tensor<4xf32>) attributes {
    arg_names = ["x"], arg_batch = array<i64: -1>, result_names = ["y"], result_batch = array<i64: -1>} {
  // CHECK-NEXT: %[[Y:.*]] = ein.call @forward(%arg0) path "a"
  // CHECK-NEXT: ein.call @weights(%arg0) accumulates [@w] path "a"
  // CHECK-NEXT: ein.return %[[Y]]
  %0 = ein.call @forward(%x) path "a" : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ein.call @forward(%0) path "b" : (tensor<4xf32>) -> tensor<4xf32>
  ein.call @weights(%x) accumulates [@w] path "a" : (tensor<4xf32>) -> ()
  ein.return %0 : tensor<4xf32>
}
