// The adjoint of a cast between what holds numbers and what they are computed in does nothing: gradients are f32, saved is what
// is narrow, and no gradient goes on through a cast to an integer.
// RUN: plc-opt %s --ein-simplify --ein-differentiate --ein-simplify | FileCheck %s

ein.param @a.w : tensor<4xf32> init normal(0.02, 0.0)
ein.param @b.w : tensor<4xf32> init normal(0.02, 0.0)

// CHECK: ein.func @a.W(%[[DY:.*]]: tensor<4xf32>, %[[X:.*]]: tensor<4xbf16>, %[[ACC:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[V:.*]] = ein.cast %[[X]]
// CHECK-NEXT: %[[D:.*]] = ein.map mul "a,a->a" %[[DY]], %[[V]]
// CHECK-NEXT: ein.reduce sum "a->a" %[[D]] into %[[ACC]]
ein.func @a(%x: tensor<4xbf16>, %w: tensor<4xf32>) -> tensor<4xbf16> attributes {num_params = 1 : i64} {
  %v = ein.cast %x : (tensor<4xbf16>) -> tensor<4xf32>
  %0 = ein.map mul "a,a->a" %v, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = ein.cast %0 : (tensor<4xf32>) -> tensor<4xbf16>
  ein.return %1 : tensor<4xbf16>
}
// CHECK: ein.func @b.B(%[[DZ:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xbf16>, %[[W:.*]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK: %[[I:.*]] = ein.cast %{{.*}} : (tensor<4xf32>) -> tensor<4xi8>
// CHECK-NEXT: %[[J:.*]] = ein.cast %[[I]]
// CHECK-NEXT: %[[DP:.*]] = ein.map mul "a,a->a" %[[DZ]], %[[J]]
// CHECK-NEXT: %[[DY:.*]] = ein.map mul "a,a->a" %[[DP]], %[[W]]
// CHECK-NEXT: ein.return %[[DY]], %[[DP]]
ein.func @b(%x: tensor<4xbf16>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {num_params = 1 : i64} {
  %v = ein.cast %x : (tensor<4xbf16>) -> tensor<4xf32>
  %p = ein.map mul "a,a->a" %v, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %n = ein.cast %p : (tensor<4xf32>) -> tensor<4xf16>
  %r = ein.cast %n : (tensor<4xf16>) -> tensor<4xf32>
  %i = ein.cast %p : (tensor<4xf32>) -> tensor<4xi8>
  %j = ein.cast %i : (tensor<4xi8>) -> tensor<4xf32>
  %0 = ein.map mul "a,a->a" %r, %j : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  ein.return %0 : tensor<4xf32>
}
ein.func @loss(%y: tensor<4xf32>) -> tensor<f32> {
  %0 = ein.map mul "a,a->a" %y, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = ein.reduce sum "a->" %0 : (tensor<4xf32>) -> tensor<f32>
  ein.return %1 : tensor<f32>
}
ein.model @m(%x: tensor<4xbf16>) -> tensor<f32> attributes {arg_names = ["x"], arg_batch = array<i64: -1>, result_names = ["loss"], result_batch = array<i64: -1>} {
  %y = ein.call @a(%x) params [@a.w] path "a" : (tensor<4xbf16>) -> tensor<4xbf16>
  %z = ein.call @b(%y) params [@b.w] path "b" : (tensor<4xbf16>) -> tensor<4xf32>
  %l = ein.call @loss(%z) path "loss" : (tensor<4xf32>) -> tensor<f32>
  ein.return %l : tensor<f32>
}
