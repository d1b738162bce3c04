// 10 samples in 4 micro-batches: 3, 3, 2, 2. An extent stands for their numbers that no other axis has: 3 and 4 are
// taken, so it is 5.
// RUN: plc-opt %s --ein-micro-batch=micro-batches=4 | FileCheck %s
// In 6 (2, 2, 2, 2, 1, 1) no other axis has the larger number, and it stands for itself.
// RUN: plc-opt %s --ein-micro-batch=micro-batches=6 | FileCheck %s --check-prefix=OWN
// What divides is cut as always.
// RUN: plc-opt %s --ein-micro-batch=micro-batches=5 | FileCheck %s --check-prefix=EVEN
// The axis survives differentiation, also where a gradient has no connection with the inputs.
// RUN: plc-opt %s --ein-micro-batch=micro-batches=4 --ein-simplify --ein-differentiate --ein-simplify | FileCheck %s --check-prefix=GRADIENT

ein.param @w : tensor<4x3xf32> init normal(0.02, 0.0)
ein.param @c : tensor<3xf32> init constant(0.0, 0.0)

// CHECK: ein.func @layer(%{{.*}}: tensor<5x4xf32>, %{{.*}}: tensor<4x3xf32>, %{{.*}}: tensor<3xf32>) -> tensor<5x3xf32>
// OWN: ein.func @layer(%{{.*}}: tensor<2x4xf32>
// EVEN: ein.func @layer(%{{.*}}: tensor<2x4xf32>
ein.func @layer(%x: tensor<10x4xf32>, %w: tensor<4x3xf32>, %c: tensor<3xf32>) -> tensor<10x3xf32> attributes {num_params = 2 : i64} {
  %0 = ein.contract %x, %w over [10, 3, 4] maps [affine_map<(b, e, d) -> (b, d)>, affine_map<(b, e, d) -> (d, e)>,
    affine_map<(b, e, d) -> (b, e)>] : (tensor<10x4xf32>, tensor<4x3xf32>) -> tensor<10x3xf32>
  %1 = ein.map add(%0, %c) over [10, 3] maps [affine_map<(b, e) -> (b, e)>, affine_map<(b, e) -> (e)>,
    affine_map<(b, e) -> (b, e)>] : (tensor<10x3xf32>, tensor<3xf32>) -> tensor<10x3xf32>
  ein.return %1 : tensor<10x3xf32>
}
// GRADIENT: ein.func @layer.W
// GRADIENT: ein.reduce sum "ab->b" %{{.*}} : (tensor<5x3xf32>) -> tensor<3xf32>
// GRADIENT: ein.func @m.loss.B
// GRADIENT: ein.map id "->ab" %{{.*}} {{.*}} -> tensor<5x3xf32>
// CHECK: ein.model @m
// CHECK-SAME: batch = 10 : i64, micro_batches = 4 : i64, ragged = 5 : i64
// OWN: micro_batches = 6 : i64, ragged = 2 : i64
// EVEN: micro_batches = 5 : i64
// EVEN-NOT: ragged
ein.model @m(%x: tensor<10x4xf32>) -> tensor<f32> attributes {arg_names = ["x"],
    arg_batch = array<i64: 0>, result_names = ["loss"], result_batch = array<i64: -1>, batch = 10 : i64} {
  %0 = ein.call @layer(%x) params [@w, @c] path "layer" : (tensor<10x4xf32>) -> tensor<10x3xf32>
  %1 = ein.reduce sum(%0) over [10, 3] maps [affine_map<(b, e) -> (b, e)>, affine_map<(b, e) -> ()>] : (tensor<10x3xf32>) -> tensor<f32>
  // CHECK: ein.constant 3.000000e+01
  %n = ein.constant 30.0 : tensor<f32>
  %2 = ein.map div(%1, %n) over [] maps [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>]
    : (tensor<f32>, tensor<f32>) -> tensor<f32>
  ein.return %2 : tensor<f32>
}
