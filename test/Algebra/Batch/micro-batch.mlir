// RUN: plc-opt %s --ein-micro-batch=micro-batches=4 --ein-cut-batch | FileCheck %s
// RUN: plc-opt %s --ein-micro-batch --ein-cut-batch | FileCheck %s --check-prefix=ONE
// RUN: plc-opt %s --ein-micro-batch="micro-batches=4 groups=2" --ein-cut-batch | FileCheck %s --check-prefix=LANES
// LANES: accumulation_groups = 2 : i64, arg_batch = {{.*}}, batch = 8 : i64, micro_batches = 4 : i64

#b = affine_map<(b) -> (b)>
#bd = affine_map<(b, d) -> (b, d)>
#o = affine_map<(b) -> ()>
ein.param @w : tensor<8x8xf32> init normal(0.02, 0.0)

// The batch has 8 samples, and the other axis happens to have 8 elements.
// CHECK: ein.func @layer(%{{.*}}: tensor<2x8xf32>, %{{.*}}: tensor<8x8xf32>) -> tensor<2x8xf32>
ein.func @layer(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {num_params = 1 : i64} {
  // CHECK: ein.contract "ab,bc->ac" %{{.*}}, %{{.*}} : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
  %0 = ein.contract %x, %w over [8, 8, 8] maps [affine_map<(b, d, e) -> (b, d)>, affine_map<(b, d, e) -> (d, e)>,
    affine_map<(b, d, e) -> (b, e)>] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // Zeros for each sample are cut, too.
  // CHECK: ein.map id "->ab" %{{.*}} {{.*}} -> tensor<2x8xf32>
  %zero = ein.constant 0.0 : tensor<f32>
  %1 = ein.map id(%zero) over [8, 8] maps [affine_map<(b, d) -> ()>, #bd] : (tensor<f32>) -> tensor<8x8xf32>
  // CHECK: ein.map max "ab,ab->ab" %{{.*}}, %{{.*}} : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %2 = ein.map max(%0, %1) over [8, 8] maps [#bd, #bd, #bd] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // Other axes may be split.
  // CHECK: ein.split %{{.*}} axis 1 : (tensor<2x8xf32>) -> tensor<2x2x4xf32>
  %3 = ein.split %2 axis 1 : (tensor<8x8xf32>) -> tensor<8x2x4xf32>
  %4 = ein.map neg(%3) over [8, 2, 4] maps [affine_map<(b, i, p) -> (b, i, p)>, affine_map<(b, i, p) -> (b, i, p)>]
    : (tensor<8x2x4xf32>) -> tensor<8x2x4xf32>
  // CHECK: ein.merge %{{.*}} axis 1 : (tensor<2x2x4xf32>) -> tensor<2x8xf32>
  %5 = ein.merge %4 axis 1 : (tensor<8x2x4xf32>) -> tensor<8x8xf32>
  ein.return %5 : tensor<8x8xf32>
}

// CHECK: ein.func @loss(%{{.*}}: tensor<2x8xf32>) -> tensor<2xf32>
ein.func @loss(%x: tensor<8x8xf32>) -> tensor<f32> {
  // CHECK: ein.reduce sum "ab->a" %{{.*}} : (tensor<2x8xf32>) -> tensor<2xf32>
  %0 = ein.reduce sum(%x) over [8, 8] maps [#bd, affine_map<(b, d) -> ()>] : (tensor<8x8xf32>) -> tensor<f32>
  // The divisor stays that of the whole batch.
  // CHECK: ein.constant 6.400000e+01
  %n = ein.constant 64.0 : tensor<f32>
  %1 = ein.map div(%0, %n) over [] maps [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>]
    : (tensor<f32>, tensor<f32>) -> tensor<f32>
  ein.return %1 : tensor<f32>
}

// CHECK: ein.model @m(%{{.*}}: tensor<2x8xf32>) -> (tensor<2xf32>, tensor<2x8xf32>)
// CHECK-SAME: batch = 8 : i64, micro_batches = 4 : i64
// ONE: ein.model @m(%{{.*}}: tensor<8x8xf32>) -> (tensor<8xf32>, tensor<8x8xf32>)
// ONE-SAME: micro_batches = 1 : i64
ein.model @m(%x: tensor<8x8xf32>) -> (tensor<f32>, tensor<8x8xf32>) attributes {arg_names = ["x"],
    arg_batch = array<i64: 0>, result_names = ["loss", "y"], result_batch = array<i64: -1, 0>, batch = 8 : i64} {
  // CHECK-COUNT-2: ein.call @layer({{.*}} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %0 = ein.call @layer(%x) params [@w] path "layer.0" : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = ein.call @layer(%0) params [@w] path "layer.1" : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = ein.call @loss(%1) path "loss" : (tensor<8x8xf32>) -> tensor<f32>
  ein.return %2, %1 : tensor<f32>, tensor<8x8xf32>
}
