// Draws become functions of keys and the step an input; a choice by `ein.training` is made.
// RUN: plc-opt %s --ein-random=entry=train | FileCheck %s
// RUN: plc-opt %s --ein-random=entry=eval | FileCheck %s --check-prefix=EVAL
// A key for each sample, one for all, and the step, behind the data and before the parameters.
// CHECK: ein.func @f(%[[X:.*]]: tensor<4x3xf32>, %[[KEY:.*]]: tensor<4xi64>, %[[ALL:.*]]: tensor<i64>, %[[STEP:.*]]: tensor<i32>, %[[W:.*]]: tensor<3x2xf32>)
// CHECK-NOT: ein.training
// The second site: 2^40, then the element of the sample.
// CHECK: %[[SITE:.*]] = ein.constant 0x4270000000000000 : tensor<i64>
// CHECK: %[[I:.*]] = ein.iota : tensor<3xi64>
// CHECK: %[[AT:.*]] = ein.map add "a,->a" %[[I]], %[[SITE]]
// CHECK: %[[BITS:.*]] = ein.map random "a,b->ab" %[[KEY]], %[[AT]]
// CHECK: %[[NARROW:.*]] = ein.cast %[[BITS]] : (tensor<4x3xi64>) -> tensor<4x3xi32>
// CHECK: %[[REAL:.*]] = ein.cast %[[NARROW]] : (tensor<4x3xi32>) -> tensor<4x3xf32>
// CHECK: %[[UNIT:.*]] = ein.constant 5.96{{.*}} : tensor<f32>
// CHECK: %[[U:.*]] = ein.map mul "ab,->ab" %[[REAL]], %[[UNIT]]
// CHECK: ein.map mul "ab,ab->ab" %[[X]], %[[U]]
// Two axes: the slower one times the extent of the other.
// CHECK: %[[ROW:.*]] = ein.iota : tensor<3xi64>
// CHECK: %[[TWO:.*]] = ein.constant 2.0
// CHECK: %[[ROWS:.*]] = ein.map mul "a,->a" %[[ROW]], %[[TWO]]
// CHECK: ein.map random ",ab->ab" %[[ALL]], %
// CHECK: ein.cast %[[STEP]] : (tensor<i32>) -> tensor<f32>
// EVAL: ein.func @f(%[[X:.*]]: tensor<4x3xf32>, %[[ALL:.*]]: tensor<i64>, %[[STEP:.*]]: tensor<i32>, %[[W:.*]]: tensor<3x2xf32>)
// EVAL-NOT: ein.random
// EVAL: ein.map random ",ab->ab" %[[ALL]], %
ein.func @f(%x: tensor<4x3xf32>, %w: tensor<3x2xf32>) -> (tensor<4x3xf32>, tensor<3x2xf32>, tensor<f32>) attributes {num_params = 1 : i64} {
  %t = ein.training : tensor<i1>
  %u = ein.random site 1 : tensor<4x3xf32>
  %0 = ein.map mul "ab,ab->ab" %x, %u : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %y = ein.map select ",ab,ab->ab" %t, %0, %x : (tensor<i1>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %v = ein.random site 2 : tensor<3x2xf32>
  %z = ein.map mul "ab,ab->ab" %w, %v : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %s = ein.step : tensor<i32>
  %at = ein.cast %s : (tensor<i32>) -> tensor<f32>
  ein.return %y, %z, %at : tensor<4x3xf32>, tensor<3x2xf32>, tensor<f32>
}
// A normal draw is made of two others, of its site and the next.
// CHECK: ein.func @n(%[[KEY:.*]]: tensor<4xi64>) -> tensor<4x3xf32>
// CHECK: ein.constant 0x4270000000000000 : tensor<i64>
// CHECK: %[[U:.*]] = ein.map mul "ab,->ab"
// CHECK: ein.constant 0x4280000000000000 : tensor<i64>
// CHECK: %[[V:.*]] = ein.map mul "ab,->ab"
// CHECK: %[[REST:.*]] = ein.map sub ",ab->ab" %{{.*}}, %[[U]]
// CHECK: %[[LOG:.*]] = ein.map log "ab->ab" %[[REST]]
// CHECK: %[[SQUARE:.*]] = ein.map mul ",ab->ab" %{{.*}}, %[[LOG]]
// CHECK: %[[ANGLE:.*]] = ein.map mul ",ab->ab" %{{.*}}, %[[V]]
// CHECK: %[[RADIUS:.*]] = ein.map sqrt "ab->ab" %[[SQUARE]]
// CHECK: %[[COSINE:.*]] = ein.map cos "ab->ab" %[[ANGLE]]
// CHECK: ein.map mul "ab,ab->ab" %[[RADIUS]], %[[COSINE]]
// EVAL: ein.func @n(%[[KEY:.*]]: tensor<4xi64>) -> tensor<4x3xf32>
ein.func @n() -> tensor<4x3xf32> {
  %e = ein.random normal site 1 : tensor<4x3xf32>
  ein.return %e : tensor<4x3xf32>
}
ein.param @p : tensor<3x2xf32> init normal(1.0, 0.0)
// One key for each call that draws, and one step.
// CHECK: ein.model @m(%[[X0:.*]]: tensor<4x3xf32>, %[[K0:.*]]: tensor<4xi64>, %[[K1:.*]]: tensor<4xi64>, %[[A0:.*]]: tensor<i64>, %[[A1:.*]]: tensor<i64>, %[[N:.*]]: tensor<4xi64>, %[[S:.*]]: tensor<i32>)
// CHECK-SAME: arg_batch = array<i64: 0, 0, 0, -1, -1, 0, -1>, arg_names = ["x", #ein.random<"f.0" per sample>, #ein.random<"f.1" per sample>, #ein.random<"f.0" per run>, #ein.random<"f.1" per run>, #ein.random<"n" per sample>, #ein.given<step>]
// CHECK: ein.call @f(%[[X0]], %[[K0]], %[[A0]], %[[S]]) params [@p] path "f.0"
// CHECK: ein.call @f(%{{.*}}, %[[K1]], %[[A1]], %[[S]]) params [@p] path "f.1"
// EVAL: ein.model @m(%{{[^,]*}}: tensor<4x3xf32>
// EVAL-SAME: arg_names = ["x", #ein.random<"f.0" per run>, #ein.random<"f.1" per run>, #ein.random<"n" per sample>, #ein.given<step>]
ein.model @m(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3x2xf32>) attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["y", "z"], result_batch = array<i64: 0, -1>, batch = 4 : i64} {
  %y, %z, %s = ein.call @f(%x) params [@p] path "f.0" : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3x2xf32>, tensor<f32>)
  %e = ein.call @n() params [] path "n" : () -> tensor<4x3xf32>
  %x1 = ein.map add "ab,ab->ab" %y, %e : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %y1, %z1, %s1 = ein.call @f(%x1) params [@p] path "f.1" : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3x2xf32>, tensor<f32>)
  ein.return %y1, %z1 : tensor<4x3xf32>, tensor<3x2xf32>
}
