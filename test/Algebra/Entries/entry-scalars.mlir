// A step and an evaluation have the scalars that need no input but those of the loss.
// RUN: plc-opt %s --ein-entry=entry=eval | FileCheck %s
// RUN: plc-opt %s --ein-entry=entry=train | FileCheck %s --check-prefix=TRAIN
// CHECK: ein.model @m(%{{.*}}: tensor<2xf32>) -> (tensor<f32>, tensor<f32>)
// CHECK-SAME: result_names = ["size", "loss"]
// TRAIN: result_names = ["size", "loss"]
ein.func @total(%x: tensor<2xf32>) -> tensor<f32> {
  %0 = ein.reduce sum(%x) over [2] maps [affine_map<(i) -> (i)>, affine_map<(i) -> ()>] : (tensor<2xf32>) -> tensor<f32>
  ein.return %0 : tensor<f32>
}
ein.model @m(%x: tensor<2xf32>, %u: tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>, tensor<f32>, tensor<f32>)
    attributes {arg_names = ["x", "u"], arg_batch = array<i64: -1, -1>, result_names = ["size", "y", "loss", "other"],
                result_batch = array<i64: -1, -1, -1, -1>} {
  %loss = ein.call @total(%x) path "loss" : (tensor<2xf32>) -> tensor<f32>
  %size = ein.call @total(%x) path "size" : (tensor<2xf32>) -> tensor<f32>
  %other = ein.call @total(%u) path "other" : (tensor<2xf32>) -> tensor<f32>
  ein.return %size, %x, %loss, %other : tensor<f32>, tensor<2xf32>, tensor<f32>, tensor<f32>
}
