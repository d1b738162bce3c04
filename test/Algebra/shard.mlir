// Sizes in parts: parameters, what follows from them, and sums where the dimension ends.
// RUN: plc-opt %s --ein-shard=sizes=F=2 | FileCheck %s --implicit-check-not=sizes
// RUN: plc-opt %s --ein-shard | FileCheck %s --check-prefix=WHOLE --implicit-check-not=sizes --implicit-check-not=part(

// CHECK-DAG: #[[POSITIONS:.*]] = affine_map<(d0) -> (d0 + 3)>
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[SECOND:.*]] = affine_map<(d0, d1) -> (d0, d1 + 3)>
// CHECK-DAG: #[[NEXT:.*]] = affine_map<(d0, d1) -> (d0, d1 + 1)>
// CHECK-DAG: ein.param @"part(ffn.w1, axis 1, 0 of 2)" : tensor<4x3xf32> init normal
// CHECK-DAG: ein.param @"part(ffn.w1, axis 1, 1 of 2)" : tensor<4x3xf32> init normal
// CHECK-DAG: ein.param @"part(ffn.w2, axis 0, 0 of 2)" : tensor<3x4xf32> init normal
// CHECK-DAG: ein.param @"part(ffn.w2, axis 0, 1 of 2)" : tensor<3x4xf32> init normal
// CHECK-DAG: ein.param @"part(ffn.b, axis 0, 1 of 2)" : tensor<3xf32> init constant
// CHECK-DAG: ein.param @ffn.g : tensor<4xf32> init constant
// WHOLE: ein.param @ffn.w1 : tensor<4x6xf32> init normal
ein.param @ffn.w1 : tensor<4x6xf32> init normal(0.02, 0.0) sizes ["D", "F"]
ein.param @ffn.w2 : tensor<6x4xf32> init normal(0.02, 0.0) sizes ["F", "D"]
ein.param @ffn.b : tensor<6xf32> init constant(0.0, 0.0) sizes ["F"]
ein.param @ffn.g : tensor<4xf32> init constant(0.0, 0.0) sizes ["D"]
// Along the first axis of such a size.
// CHECK-DAG: ein.param @"part(ffn.square, axis 0, 1 of 2)" : tensor<3x6xf32>
ein.param @ffn.square : tensor<6x6xf32> init constant(0.0, 0.0) sizes ["F", "F"]

// CHECK-LABEL: ein.func @ffn(
// CHECK-SAME: %[[X:.*]]: tensor<2x4xf32>, %[[A0:.*]]: tensor<4x3xf32>, %[[A1:.*]]: tensor<4x3xf32>, %[[B0:.*]]: tensor<3x4xf32>, %[[B1:.*]]: tensor<3x4xf32>, %[[C0:.*]]: tensor<3xf32>, %[[C1:.*]]: tensor<3xf32>, %[[G:.*]]: tensor<4xf32>) -> tensor<2x4xf32>
// CHECK-SAME: num_params = 7
ein.func @ffn(%x: tensor<2x4xf32>, %w1: tensor<4x6xf32>, %w2: tensor<6x4xf32>, %b: tensor<6xf32>, %g: tensor<4xf32>)
    -> tensor<2x4xf32> attributes {num_params = 4 : i64} {
  // CHECK: %[[H0:.*]] = ein.contract "ac,cb->ab" %[[X]], %[[A0]]
  // CHECK: %[[H1:.*]] = ein.contract "ac,cb->ab" %[[X]], %[[A1]]
  %0 = ein.contract "ac,cb->ab" %x, %w1 : (tensor<2x4xf32>, tensor<4x6xf32>) -> tensor<2x6xf32>
  // CHECK: %[[S0:.*]] = ein.map add "ab,b->ab" %[[H0]], %[[C0]]
  // CHECK: %[[S1:.*]] = ein.map add "ab,b->ab" %[[H1]], %[[C1]]
  %1 = ein.map add "ab,b->ab" %0, %b : (tensor<2x6xf32>, tensor<6xf32>) -> tensor<2x6xf32>
  // The largest of the parts' largest; the positions of what is whole, by parts.
  // CHECK: %[[M0:.*]] = ein.reduce max "ab->a" %[[S0]]
  // CHECK: %[[M1:.*]] = ein.reduce max "ab->a" %[[S1]]
  // CHECK: %[[M:.*]] = ein.map max "a,a->a" %[[M0]], %[[M1]]
  %2 = ein.reduce max "ab->a" %1 : (tensor<2x6xf32>) -> tensor<2xf32>
  // CHECK: ein.map sub "ab,a->ab" %[[S0]], %[[M]]
  %3 = ein.map sub "ab,a->ab" %1, %2 : (tensor<2x6xf32>, tensor<2xf32>) -> tensor<2x6xf32>
  %i = ein.iota : tensor<6xi32>
  %k = ein.cast %i : (tensor<6xi32>) -> tensor<6xf32>
  // CHECK: %[[K1:.*]] = ein.window %{{.*}} at #[[POSITIONS]] : (tensor<6xf32>) -> tensor<3xf32>
  // CHECK: ein.map mul "ab,b->ab" %{{.*}}, %[[K1]]
  %4 = ein.map mul "ab,b->ab" %3, %k : (tensor<2x6xf32>, tensor<6xf32>) -> tensor<2x6xf32>
  // Groups of an axis: the slowest counts the parts.
  // CHECK: %[[G0:.*]] = ein.split %{{.*}} axis 1 : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
  %5 = ein.split %4 axis 1 : (tensor<2x6xf32>) -> tensor<2x2x3xf32>
  // CHECK: ein.merge %[[G0]] axis 1 : (tensor<2x1x3xf32>) -> tensor<2x3xf32>
  %6 = ein.merge %5 axis 1 : (tensor<2x2x3xf32>) -> tensor<2x6xf32>
  // CHECK: %[[Y0:.*]] = ein.contract "ac,cb->ab" %{{.*}}, %[[B0]]
  // CHECK: %[[Y1:.*]] = ein.contract "ac,cb->ab" %{{.*}}, %[[B1]]
  // CHECK: %[[Y:.*]] = ein.map add "ab,ab->ab" %[[Y0]], %[[Y1]]
  %7 = ein.contract "ac,cb->ab" %6, %w2 : (tensor<2x6xf32>, tensor<6x4xf32>) -> tensor<2x4xf32>
  // CHECK: ein.map mul "ab,b->ab" %[[Y]], %[[G]]
  %8 = ein.map mul "ab,b->ab" %7, %g : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  ein.return %8 : tensor<2x4xf32>
}

// What leaves a body, or reads an axis across its parts, is put together.
// CHECK-LABEL: ein.func @joined(
// CHECK: %[[P0:.*]] = ein.place %{{.*}} at #[[FIRST]] : (tensor<2x3xf32>) -> tensor<2x6xf32>
// CHECK: %[[P1:.*]] = ein.place %{{.*}} at #[[SECOND]] : (tensor<2x3xf32>) -> tensor<2x6xf32>
// CHECK: %[[J:.*]] = ein.map add "ab,ab->ab" %[[P0]], %[[P1]]
// CHECK: ein.window %[[J]] at #[[NEXT]]
// CHECK: ein.return %[[J]], %
ein.func @joined(%x: tensor<2x4xf32>, %w1: tensor<4x6xf32>) -> (tensor<2x6xf32>, tensor<2x4xf32>) attributes {num_params = 1 : i64} {
  %0 = ein.contract "ac,cb->ab" %x, %w1 : (tensor<2x4xf32>, tensor<4x6xf32>) -> tensor<2x6xf32>
  %1 = ein.window %0 at affine_map<(d0, d1) -> (d0, d1 + 1)> : (tensor<2x6xf32>) -> tensor<2x4xf32>
  ein.return %0, %1 : tensor<2x6xf32>, tensor<2x4xf32>
}

// CHECK: ein.call @ffn(%{{.*}}) params [@"part(ffn.w1, axis 1, 0 of 2)", @"part(ffn.w1, axis 1, 1 of 2)", @"part(ffn.w2, axis 0, 0 of 2)", @"part(ffn.w2, axis 0, 1 of 2)", @"part(ffn.b, axis 0, 0 of 2)", @"part(ffn.b, axis 0, 1 of 2)", @ffn.g] path "ffn"
ein.model @m(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x6xf32>, tensor<2x4xf32>) attributes {arg_names = ["x"], arg_batch = array<i64: -1>,
    result_names = ["y", "h", "z"], result_batch = array<i64: -1, -1, -1>} {
  %y = ein.call @ffn(%x) params [@ffn.w1, @ffn.w2, @ffn.b, @ffn.g] path "ffn" : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %h:2 = ein.call @joined(%x) params [@ffn.w1] path "joined" : (tensor<2x4xf32>) -> (tensor<2x6xf32>, tensor<2x4xf32>)
  ein.return %y, %h#0, %h#1 : tensor<2x4xf32>, tensor<2x6xf32>, tensor<2x4xf32>
}
