// Gradients of inputs are results of the model; of parameters, trained or not, the ones asked for.
// RUN: plc-opt %s --ein-differentiate=wrt=x,y,z,frozen --ein-simplify | FileCheck %s
// RUN: not plc-opt %s --ein-differentiate=wrt=q 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: plc-opt %s --ein-differentiate=wrt=unused,idle --ein-simplify | FileCheck %s --check-prefix=ZERO
// UNKNOWN: error: model 'm' has no input or parameter 'q' to differentiate for

// What the loss does not depend on has a gradient of zeros.
// ZERO: ein.func @[[ZERO:m.zero]]() -> tensor<2xf32> {{.*}}role = "B"
// ZERO: result_names = ["loss", #ein.grad<"unused">, #ein.grad<"idle">]
// ZERO: %[[X:.*]] = ein.call @[[ZERO]]() path "scale"
// ZERO: %[[W:.*]] = ein.call @[[ZERO]]() path "scale"
// ZERO: ein.return %{{.*}}, %[[X]], %[[W]] :

#id = affine_map<(i) -> (i)>
ein.param @frozen : tensor<2xf32> init normal(0.02, 0.0) frozen
ein.param @trained : tensor<2xf32> init normal(0.02, 0.0)
ein.param @idle : tensor<2xf32> init normal(0.02, 0.0)

ein.func @scale(%x: tensor<2xf32>, %v: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32>
    attributes {num_params = 2 : i64} {
  %0 = ein.map mul(%x, %v) over [2] maps [#id, #id, #id] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = ein.map mul(%0, %w) over [2] maps [#id, #id, #id] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  ein.return %1 : tensor<2xf32>
}
ein.func @total(%x: tensor<2xf32>, %y: tensor<2xf32>, %z: tensor<2xf32>) -> tensor<f32> {
  %p = ein.map add(%x, %y) over [2] maps [#id, #id, #id] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %0 = ein.map add(%p, %z) over [2] maps [#id, #id, #id] : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = ein.reduce sum(%0) over [2] maps [#id, affine_map<(i) -> ()>] : (tensor<2xf32>) -> tensor<f32>
  ein.return %1 : tensor<f32>
}

// The gradients of y and z are one value, but results are values of their own: one is a copy.
// CHECK: ein.func @m.copy(
// CHECK-SAME: role = "B"
// CHECK: ein.model @m
// CHECK-SAME: result_batch = array<i64: -1, 0, -1, -1>, result_names = ["loss", #ein.grad<"x">, #ein.grad<"y">, #ein.grad<"z">]
ein.model @m(%x: tensor<2xf32>, %y: tensor<2xf32>, %z: tensor<2xf32>, %unused: tensor<2xf32>) -> tensor<f32>
    attributes {arg_names = ["x", "y", "z", "unused"], arg_batch = array<i64: 0, -1, -1, -1>, result_names = ["loss"],
                result_batch = array<i64: -1>, batch = 2 : i64} {
  %0 = ein.call @scale(%x) params [@frozen, @trained] path "scale" : (tensor<2xf32>) -> tensor<2xf32>
  %1 = ein.call @total(%0, %y, %z) path "total" : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  // CHECK: %[[LOSS:.*]] = ein.call @total.F
  // CHECK: %[[G:.*]] = ein.call @total.B()
  // CHECK: %[[X:[0-9]+]]:2 = ein.call @scale.B(%[[G]]
  // CHECK: ein.call @scale.W{{.*}} accumulates [@frozen] path "scale"
  // CHECK: %[[Z:.*]] = ein.call @m.copy(%[[G]]) path "total"
  // CHECK: ein.return %[[LOSS]], %[[X]]#0, %[[G]], %[[Z]] :
  ein.return %1 : tensor<f32>
}
