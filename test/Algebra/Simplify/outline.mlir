// RUN: plc-opt %s --ein-simplify | FileCheck %s

#i = affine_map<(i) -> (i)>
#o = affine_map<(i) -> ()>
ein.param @w : tensor<2xf32> init normal(0.02, 0.0)

// CHECK: ein.func @layer
ein.func @layer(%x: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> attributes {num_params = 1 : i64} {
  %0 = ein.map mul(%x, %w) over [2] maps [#i, #i, #i] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  ein.return %0 : tensor<2xf32>
}
// Nothing calls it.
// CHECK-NOT: ein.func @unused
ein.func @unused() -> () {
  ein.return
}

// Two equal runs share a body; each reader has its own constants.
// CHECK: ein.func @m.equations(%{{.*}}: tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: ein.constant 2.0
// CHECK-NEXT: ein.map mul
// CHECK-NOT: ein.func @m.equations.1
// CHECK: ein.func @m.loss(%{{.*}}: tensor<2xf32>, %{{.*}}: tensor<2xf32>) -> tensor<f32>
// CHECK-NEXT: ein.map mul
// CHECK-NEXT: ein.reduce sum
// CHECK-NEXT: ein.return

// CHECK: ein.model @m(%[[X:.*]]: tensor<2xf32>)
ein.model @m(%x: tensor<2xf32>) -> (tensor<f32>, tensor<2xf32>) attributes {arg_names = ["x"], arg_batch = array<i64: -1>,
    result_names = ["loss", "x"], result_batch = array<i64: -1, -1>} {
  // CHECK-NEXT: %[[A:.*]] = ein.call @m.equations(%[[X]]) path "m.equations"
  // CHECK-NEXT: %[[B:.*]] = ein.call @layer(%[[A]]) params [@w] path "layer"
  // CHECK-NEXT: %[[C:.*]] = ein.call @m.equations(%[[B]]) path "m.equations.1"
  // CHECK-NEXT: %[[D:.*]] = ein.call @layer(%[[C]]) params [@w] path "layer.1"
  // CHECK-NEXT: %[[L:.*]] = ein.call @m.loss(%[[D]], %[[B]]) path "m.loss"
  // CHECK-NEXT: ein.return %[[L]], %[[X]]
  %two = ein.constant 2.0 : tensor<f32>
  %a = ein.map mul(%x, %two) over [2] maps [#i, #o, #i] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %dead = ein.map exp(%x) over [2] maps [#i, #i] : (tensor<2xf32>) -> tensor<2xf32>
  %b = ein.call @layer(%a) params [@w] path "layer" : (tensor<2xf32>) -> tensor<2xf32>
  %c = ein.map mul(%b, %two) over [2] maps [#i, #o, #i] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %d = ein.call @layer(%c) params [@w] path "layer.1" : (tensor<2xf32>) -> tensor<2xf32>
  %e = ein.call @layer(%c) params [@w] path "dead" : (tensor<2xf32>) -> tensor<2xf32>
  %f = ein.map mul(%d, %b) over [2] maps [#i, #i, #i] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %loss = ein.reduce sum(%f) over [2] maps [#i, #o] : (tensor<2xf32>) -> tensor<f32>
  ein.return %loss, %x : tensor<f32>, tensor<2xf32>
}
