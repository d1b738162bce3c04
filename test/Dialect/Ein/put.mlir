// States, and elements that are replaced in them. What is wrong stands in `put-invalid.mlir`.
// RUN: plc-opt %s | FileCheck %s
// RUN: plc-opt %s | plc-opt | FileCheck %s

// CHECK: ein.state @attention.0.k init 0.000000e+00
ein.state @attention.0.k init 0.0

// CHECK-LABEL: ein.func @body
ein.func @body(%row: tensor<2x3x4xf32>, %pos: tensor<2xi32>, %old: tensor<2x8x3x4xf32>) -> (tensor<2x3xf32>, tensor<2x8x3x4xf32>) {
  // CHECK: %[[Y:.*]] = ein.map id
  %y = ein.map id "abc->bca" %row : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %s = ein.reduce sum "bca->ab" %y : (tensor<3x4x2xf32>) -> tensor<2x3xf32>
  // CHECK: ein.put "abc,i=a->aibc" %{{.*}}, %{{.*}} after %[[Y]] : tensor<3x4x2xf32> into %{{.*}} : tensor<2x8x3x4xf32> : (tensor<2x3x4xf32>, tensor<2xi32>) -> tensor<2x8x3x4xf32>
  %new = ein.put "abc,i=a->aibc" %row, %pos after %y : tensor<3x4x2xf32> into %old : tensor<2x8x3x4xf32> : (tensor<2x3x4xf32>, tensor<2xi32>) -> tensor<2x8x3x4xf32>
  ein.return %s, %new : tensor<2x3xf32>, tensor<2x8x3x4xf32>
}

// Without positions it replaces all; a form that letters cannot say is the general one.
// CHECK-LABEL: ein.func @whole
ein.func @whole(%new: tensor<3x4xi1>, %old: tensor<3x4xi1>) -> tensor<3x4xi1> {
  // CHECK: ein.put "ab->ab" %{{.*}} into %{{.*}} : tensor<3x4xi1> : (tensor<3x4xi1>) -> tensor<3x4xi1>
  %0 = ein.put %new over [3, 4] maps [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>] into %old : tensor<3x4xi1> : (tensor<3x4xi1>) -> tensor<3x4xi1>
  ein.return %0 : tensor<3x4xi1>
}

// CHECK: ein.model @m
ein.model @m(%row: tensor<2x3x4xf32>, %pos: tensor<2xi32>, %old: tensor<2x8x3x4xf32>) -> (tensor<2x3xf32>, tensor<2x8x3x4xf32>) attributes {
    arg_names = ["row", "pos", #ein.state<"attention.0.k">], result_names = ["y", #ein.state<"attention.0.k">],
    arg_batch = array<i64: 0, 0, 0>, result_batch = array<i64: 0, 0>, batch = 2 : i64} {
  %y, %new = ein.call @body(%row, %pos, %old) path "attention.0" : (tensor<2x3x4xf32>, tensor<2xi32>, tensor<2x8x3x4xf32>) -> (tensor<2x3xf32>, tensor<2x8x3x4xf32>)
  ein.return %y, %new : tensor<2x3xf32>, tensor<2x8x3x4xf32>
}
