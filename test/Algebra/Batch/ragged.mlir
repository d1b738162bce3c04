// 10 samples in 4 micro-batches: 3, 3, 2, 2. Types are those of the first and say which axis is the batch, although other
// axes have 3 elements, too: as they were once told apart by their extents, it had to be one that no other axis had.
// RUN: plc-opt %s --ein-micro-batch=micro-batches=4 --ein-cut-batch | FileCheck %s
// In 6 (2, 2, 2, 2, 1, 1) no other axis has the larger number.
// RUN: plc-opt %s --ein-micro-batch=micro-batches=6 --ein-cut-batch | FileCheck %s --check-prefix=OWN
// What divides is cut as always, and no type says anything.
// RUN: plc-opt %s --ein-micro-batch=micro-batches=5 --ein-cut-batch | FileCheck %s --check-prefix=EVEN --implicit-check-not=ein.batch
// The axis survives differentiation, also where a gradient has no connection with the inputs.
// RUN: plc-opt %s --ein-micro-batch=micro-batches=4 --ein-simplify --ein-differentiate --ein-simplify --ein-cut-batch | FileCheck %s --check-prefix=GRADIENT
// So it does in kernels, and in the program's stages.
// RUN: plc-opt %s --ein-micro-batch=micro-batches=4 --ein-simplify --ein-differentiate --ein-simplify --ein-fix-numerics --ein-cut-batch --form-kernels --plan-partition \
// RUN:   | FileCheck %s --check-prefix=PLAN

ein.param @w : tensor<4x3xf32> init normal(0.02, 0.0)
ein.param @c : tensor<3xf32> init constant(0.0, 0.0)

// CHECK: ein.func @layer(%{{.*}}: tensor<3x4xf32, #ein.batch<0>>, %{{.*}}: tensor<4x3xf32>, %{{.*}}: tensor<3xf32>) -> tensor<3x3xf32, #ein.batch<0>>
// OWN: ein.func @layer(%{{.*}}: tensor<2x4xf32, #ein.batch<0>>
// EVEN: ein.func @layer(%{{.*}}: tensor<2x4xf32>
ein.func @layer(%x: tensor<10x4xf32>, %w: tensor<4x3xf32>, %c: tensor<3xf32>) -> tensor<10x3xf32> attributes {num_params = 2 : i64} {
  // CHECK: ein.contract "ac,cb->ab" %{{.*}} : (tensor<3x4xf32, #ein.batch<0>>, tensor<4x3xf32>) -> tensor<3x3xf32, #ein.batch<0>>
  %0 = ein.contract %x, %w over [10, 3, 4] maps [affine_map<(b, e, d) -> (b, d)>, affine_map<(b, e, d) -> (d, e)>,
    affine_map<(b, e, d) -> (b, e)>] : (tensor<10x4xf32>, tensor<4x3xf32>) -> tensor<10x3xf32>
  %1 = ein.map add(%0, %c) over [10, 3] maps [affine_map<(b, e) -> (b, e)>, affine_map<(b, e) -> (e)>,
    affine_map<(b, e) -> (b, e)>] : (tensor<10x3xf32>, tensor<3xf32>) -> tensor<10x3xf32>
  ein.return %1 : tensor<10x3xf32>
}
// The batch goes to the second axis, and back behind a view of the first.
// CHECK: ein.func @turned
// CHECK: ein.map neg "ba->ab" %{{.*}} : (tensor<3x3xf32, #ein.batch<0>>) -> tensor<3x3xf32, #ein.batch<1>>
// CHECK: ein.split %{{.*}} axis 0 : (tensor<3x3xf32, #ein.batch<1>>) -> tensor<1x3x3xf32, #ein.batch<2>>
// CHECK: ein.map id "bca->abc" %{{.*}} : (tensor<1x3x3xf32, #ein.batch<2>>) -> tensor<3x1x3xf32, #ein.batch<0>>
ein.func @turned(%x: tensor<10x3xf32>) -> tensor<10x1x3xf32> {
  %0 = ein.map neg "ba->ab" %x : (tensor<10x3xf32>) -> tensor<3x10xf32>
  %1 = ein.split %0 axis 0 : (tensor<3x10xf32>) -> tensor<1x3x10xf32>
  %2 = ein.map id "bca->abc" %1 : (tensor<1x3x10xf32>) -> tensor<10x1x3xf32>
  ein.return %2 : tensor<10x1x3xf32>
}
// GRADIENT: ein.func @layer.W
// GRADIENT: ein.reduce sum "ab->b" %{{.*}} : (tensor<3x3xf32, #ein.batch<0>>) -> tensor<3xf32>
// GRADIENT: ein.func @turned.B
// GRADIENT: ein.merge %{{.*}} axis 0 : (tensor<1x3x3xf32, #ein.batch<2>>) -> tensor<3x3xf32, #ein.batch<1>>
// GRADIENT: ein.func @m.loss.B
// GRADIENT: ein.map id "->abc" %{{.*}} : (tensor<f32>) -> tensor<3x1x3xf32, #ein.batch<0>>
// CHECK: ein.model @m
// CHECK-SAME: batch = 10 : i64, micro_batches = 4 : i64, ragged = 3 : i64
// OWN: micro_batches = 6 : i64, ragged = 2 : i64
// EVEN: micro_batches = 5 : i64
// EVEN-NOT: ragged
// PLAN: plan.kernel @layer.F.0(%{{.*}}: tensor<3x4xf32, #ein.batch<0>>
// PLAN: plan.program @m attributes {{{.*}}arg_types = [tensor<3x4xf32, #ein.batch<0>>]
// PLAN: plan.input "x" : tensor<3x4xf32, #ein.batch<0>>
ein.model @m(%x: tensor<10x4xf32>) -> tensor<f32> attributes {arg_names = ["x"],
    arg_batch = array<i64: 0>, result_names = ["loss"], result_batch = array<i64: -1>, batch = 10 : i64} {
  %0 = ein.call @layer(%x) params [@w, @c] path "layer" : (tensor<10x4xf32>) -> tensor<10x3xf32>
  %y = ein.call @turned(%0) path "turned" : (tensor<10x3xf32>) -> tensor<10x1x3xf32>
  %1 = ein.reduce sum(%y) over [10, 1, 3] maps [affine_map<(b, i, e) -> (b, i, e)>, affine_map<(b, i, e) -> ()>] : (tensor<10x1x3xf32>) -> tensor<f32>
  // CHECK: ein.constant 3.000000e+01
  %n = ein.constant 30.0 : tensor<f32>
  %2 = ein.map div(%1, %n) over [] maps [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>]
    : (tensor<f32>, tensor<f32>) -> tensor<f32>
  ein.return %2 : tensor<f32>
}
