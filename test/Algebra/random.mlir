// Draws become functions of keys in training, and the middle elsewhere; a choice by `ein.training` is made.
// RUN: plc-opt %s --ein-random=entry=train | FileCheck %s
// RUN: plc-opt %s --ein-random=entry=eval | FileCheck %s --check-prefix=EVAL
// A key for each sample and one for all, behind the data and before the parameters.
// CHECK: ein.func @f(%[[X:.*]]: tensor<4x3xf32>, %[[KEY:.*]]: tensor<4xi64>, %[[ALL:.*]]: tensor<i64>, %[[W:.*]]: tensor<3x2xf32>)
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
// EVAL: ein.func @f(%[[X:.*]]: tensor<4x3xf32>, %[[W:.*]]: tensor<3x2xf32>)
// EVAL-NOT: ein.map random
// EVAL-NOT: ein.random
// EVAL: ein.constant 5.0{{.*}}e-01
ein.func @f(%x: tensor<4x3xf32>, %w: tensor<3x2xf32>) -> (tensor<4x3xf32>, tensor<3x2xf32>) attributes {num_params = 1 : i64} {
  %t = ein.training : tensor<i1>
  %u = ein.random site 1 : tensor<4x3xf32>
  %0 = ein.map mul "ab,ab->ab" %x, %u : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %y = ein.map select ",ab,ab->ab" %t, %0, %x : (tensor<i1>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %v = ein.random site 2 : tensor<3x2xf32>
  %z = ein.map mul "ab,ab->ab" %w, %v : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  ein.return %y, %z : tensor<4x3xf32>, tensor<3x2xf32>
}
ein.param @p : tensor<3x2xf32> init normal(1.0, 0.0)
// One input for each call that draws.
// CHECK: ein.model @m(%[[X0:.*]]: tensor<4x3xf32>, %[[K0:.*]]: tensor<4xi64>, %[[K1:.*]]: tensor<4xi64>, %[[A0:.*]]: tensor<i64>, %[[A1:.*]]: tensor<i64>)
// CHECK-SAME: arg_batch = array<i64: 0, 0, 0, -1, -1>, arg_names = ["x", "random(f.0)", "random(f.1)", "random(all, f.0)", "random(all, f.1)"]
// CHECK: ein.call @f(%[[X0]], %[[K0]], %[[A0]]) params [@p] path "f.0"
// CHECK: ein.call @f(%{{.*}}, %[[K1]], %[[A1]]) params [@p] path "f.1"
// EVAL: ein.model @m(%{{[^,]*}}: tensor<4x3xf32>) ->
ein.model @m(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3x2xf32>) attributes {arg_names = ["x"], arg_batch = array<i64: 0>,
    result_names = ["y", "z"], result_batch = array<i64: 0, -1>, batch = 4 : i64} {
  %y, %z = ein.call @f(%x) params [@p] path "f.0" : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3x2xf32>)
  %y1, %z1 = ein.call @f(%y) params [@p] path "f.1" : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3x2xf32>)
  ein.return %y1, %z1 : tensor<4x3xf32>, tensor<3x2xf32>
}
