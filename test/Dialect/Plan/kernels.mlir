// RUN: plc-opt %s | plc-opt | FileCheck %s

#id = affine_map<(i) -> (i)>
#all = affine_map<(i) -> ()>

// CHECK-LABEL: plan.kernel @exp(
// CHECK-SAME: by = #plan<by elementwise>,{{.*}} kind = #plan<kind elementwise>, ns = 10
plan.kernel @exp(%x: tensor<4xf32>) -> tensor<4xf32> attributes {by = #plan<by elementwise>, kind = #plan<kind elementwise>, ns = 10 : i64} {
  %y = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: plan.yield %{{.*}} : tensor<4xf32>
  plan.yield %y : tensor<4xf32>
}
// CHECK-LABEL: plan.kernel @total(
// CHECK-SAME: num_accumulators = 1
plan.kernel @total(%x: tensor<4xf32>, %acc: tensor<f32>) -> tensor<f32>
    attributes {kind = #plan<kind columns>, num_accumulators = 1 : i64} {
  %y = ein.reduce sum(%x) over [4] maps [#id, #all] into %acc : tensor<f32> : (tensor<4xf32>) -> tensor<f32>
  plan.yield %y : tensor<f32>
}
// CHECK-LABEL: ein.func @body(
ein.func @body(%x: tensor<4xf32>, %acc: tensor<f32>) -> tensor<f32> attributes {num_accumulators = 1 : i64} {
  // CHECK: plan.call @exp(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %0 = plan.call @exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: plan.call @total(%{{.*}}, %{{.*}}) path "ffn.0"
  %1 = plan.call @total(%0, %acc) path "ffn.0" : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  ein.return %1 : tensor<f32>
}
