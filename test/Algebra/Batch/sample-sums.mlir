// A sum over the batch becomes the last step to a result: what follows it, in its body and in others, is computed for each sample.
// RUN: plc-opt %s --split-input-file --ein-micro-batch="micro-batches=2" | FileCheck %s
// CHECK: ein.func @mean(%[[X:.*]]: tensor<4x3xf32, #ein.batch<0>>) -> tensor<4xf32, #ein.batch<0>>
// CHECK: %[[S:.*]] = ein.reduce sum "ab->a" %[[X]]
// CHECK: ein.map div "a,->a" %[[S]]
// CHECK: ein.func @half(%{{.*}}: tensor<4xf32, #ein.batch<0>>) -> tensor<4xf32, #ein.batch<0>>
// CHECK: ein.map mul "a,->a"
ein.func @mean(%x: tensor<4x3xf32>) -> tensor<f32> {
  %0 = ein.reduce sum "ab->" %x : (tensor<4x3xf32>) -> tensor<f32>
  %n = ein.constant 12.0 : tensor<f32>
  %1 = ein.map div ",->" %0, %n : (tensor<f32>, tensor<f32>) -> tensor<f32>
  ein.return %1 : tensor<f32>
}
ein.func @half(%x: tensor<f32>) -> tensor<f32> {
  %n = ein.constant 0.5 : tensor<f32>
  %0 = ein.map mul ",->" %x, %n : (tensor<f32>, tensor<f32>) -> tensor<f32>
  ein.return %0 : tensor<f32>
}
// A sum over the batch alone is a copy.
// CHECK: ein.func @columns
// CHECK-NEXT: ein.map id "ab->ab"
// CHECK: ein.model @m({{.*}} -> (tensor<4xf32, #ein.batch<0>>, tensor<4x3xf32, #ein.batch<0>>) attributes {{.*}}result_batch = array<i64: -2, -2>
ein.func @columns(%x: tensor<4x3xf32>) -> tensor<3xf32> {
  %0 = ein.reduce sum "ab->b" %x : (tensor<4x3xf32>) -> tensor<3xf32>
  ein.return %0 : tensor<3xf32>
}
ein.model @m(%x: tensor<4x3xf32>) -> (tensor<f32>, tensor<3xf32>) attributes {
    arg_names = ["x"], result_names = ["loss", "c"], arg_batch = array<i64: 0>, result_batch = array<i64: -1, -1>, batch = 4} {
  %0 = ein.call @mean(%x) params [] path "mean" : (tensor<4x3xf32>) -> tensor<f32>
  %1 = ein.call @half(%0) params [] path "half" : (tensor<f32>) -> tensor<f32>
  %2 = ein.call @columns(%x) params [] path "columns" : (tensor<4x3xf32>) -> tensor<3xf32>
  ein.return %1, %2 : tensor<f32>, tensor<3xf32>
}

// -----

// Not where the samples' values would need more room than what they are made of, nor behind a view.
// CHECK: ein.func @gram
// CHECK: ein.contract "ca,cb->ab" {{.*}} -> tensor<3x3xf32>
// CHECK: ein.reduce sum "abc->bc" {{.*}} -> tensor<2x3xf32>
// CHECK: result_batch = array<i64: -1, -1>
ein.func @gram(%x: tensor<4x3xf32>, %y: tensor<4x2x3xf32>) -> (tensor<3x3xf32>, tensor<6xf32>) {
  %0 = ein.contract "ca,cb->ab" %x, %x : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
  %1 = ein.reduce sum "abc->bc" %y : (tensor<4x2x3xf32>) -> tensor<2x3xf32>
  %2 = ein.merge %1 axis 0 : (tensor<2x3xf32>) -> tensor<6xf32>
  ein.return %0, %2 : tensor<3x3xf32>, tensor<6xf32>
}
ein.model @m(%x: tensor<4x3xf32>, %y: tensor<4x2x3xf32>) -> (tensor<3x3xf32>, tensor<6xf32>) attributes {
    arg_names = ["x", "y"], result_names = ["g", "v"], arg_batch = array<i64: 0, 0>, result_batch = array<i64: -1, -1>, batch = 4} {
  %0:2 = ein.call @gram(%x, %y) params [] path "gram" : (tensor<4x3xf32>, tensor<4x2x3xf32>) -> (tensor<3x3xf32>, tensor<6xf32>)
  ein.return %0#0, %0#1 : tensor<3x3xf32>, tensor<6xf32>
}
