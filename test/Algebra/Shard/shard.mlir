// Sizes in parts: parameters, what follows from them, and sums where the dimension ends.
// RUN: plc-opt %s --ein-shard=sizes=F=2 | FileCheck %s --implicit-check-not=sizes
// RUN: plc-opt %s --ein-shard | FileCheck %s --check-prefix=WHOLE --implicit-check-not=sizes --implicit-check-not=part(

// CHECK-DAG: #[[POSITIONS:.*]] = affine_map<(d0) -> (d0 + 3)>
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[SECOND:.*]] = affine_map<(d0, d1) -> (d0, d1 + 3)>
// CHECK-DAG: #[[NEXT:.*]] = affine_map<(d0, d1) -> (d0, d1 + 1)>
// CHECK-DAG: ein.param @"part(ffn.w1, axis 1, 0 of 2)" : tensor<4x3xf32> init normal{{.*}} shard <"ffn.w1" axis 1, 0 of 2>
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

// What reads an axis across its parts has them put together; what leaves a body stays in parts.
// CHECK-LABEL: ein.func @joined(
// CHECK-SAME: -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x4xf32>)
// CHECK: %[[A:.*]] = ein.contract
// CHECK: %[[B:.*]] = ein.contract
// CHECK: %[[P0:.*]] = ein.insert_slice %[[A]] at #[[FIRST]] : (tensor<2x3xf32>) -> tensor<2x6xf32>
// CHECK: %[[P1:.*]] = ein.insert_slice %[[B]] at #[[SECOND]] : (tensor<2x3xf32>) -> tensor<2x6xf32>
// CHECK: %[[J:.*]] = ein.map add "ab,ab->ab" %[[P0]], %[[P1]]
// CHECK: ein.window %[[J]] at #[[NEXT]]
// CHECK: ein.return %[[A]], %[[B]], %
ein.func @joined(%x: tensor<2x4xf32>, %w1: tensor<4x6xf32>) -> (tensor<2x6xf32>, tensor<2x4xf32>) attributes {num_params = 1 : i64} {
  %0 = ein.contract "ac,cb->ab" %x, %w1 : (tensor<2x4xf32>, tensor<4x6xf32>) -> tensor<2x6xf32>
  %1 = ein.window %0 at affine_map<(d0, d1) -> (d0, d1 + 1)> : (tensor<2x6xf32>) -> tensor<2x4xf32>
  ein.return %0, %1 : tensor<2x6xf32>, tensor<2x4xf32>
}

// The state is in parts because its new value is; the other one is read across its parts, and stays whole.
// CHECK-LABEL: ein.func @keep(
// CHECK-SAME: tensor<2x3xf32>, %{{.*}}: tensor<2x3xf32>, %{{.*}}: tensor<2x6xf32>, %{{.*}}: tensor<4x3xf32>, %{{.*}}: tensor<4x3xf32>)
ein.func @keep(%x: tensor<2x4xf32>, %old: tensor<2x6xf32>, %all: tensor<2x6xf32>, %w: tensor<4x6xf32>)
    -> (tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x4xf32>) attributes {num_params = 1 : i64} {
  %0 = ein.contract "ac,cb->ab" %x, %w : (tensor<2x4xf32>, tensor<4x6xf32>) -> tensor<2x6xf32>
  %1 = ein.map add "ab,ab->ab" %0, %old : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  %2 = ein.map mul "ab,ab->ab" %1, %all : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  %3 = ein.window %all at affine_map<(d0, d1) -> (d0, d1 + 1)> : (tensor<2x6xf32>) -> tensor<2x4xf32>
  ein.return %1, %2, %3 : tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x4xf32>
}
// A body is divided as each call has its arguments: a table is looked up in its parts, and the position tells in which it is.
// CHECK-LABEL: ein.func @lookup(
// CHECK-SAME: %[[T:.*]]: tensor<2xi32>, %[[W0:.*]]: tensor<3x6xf32>, %[[W1:.*]]: tensor<3x6xf32>
// CHECK: %[[THREE:.*]] = ein.constant 3
// CHECK: %[[IN0:.*]] = ein.map lt "a,->a" %[[T]], %[[THREE]]
// CHECK: %[[TWO:.*]] = ein.constant 2
// CHECK: %[[T0:.*]] = ein.map min "a,->a" %[[T]], %[[TWO]]
// CHECK: %[[R0:.*]] = ein.gather "ib,i=a->ab" %[[W0]], %[[T0]]
// CHECK: %[[T1:.*]] = ein.map sub "a,->a" %[[T]]
// CHECK: %[[T2:.*]] = ein.map max "a,->a" %[[T1]]
// CHECK: %[[R1:.*]] = ein.gather "ib,i=a->ab" %[[W1]], %[[T2]]
// CHECK: %[[R:.*]] = ein.map select "a,ab,ab->ab" %[[IN0]], %[[R0]], %[[R1]]
// CHECK: ein.return %[[R]]
ein.func @lookup(%t: tensor<2xi32>, %w: tensor<6x6xf32>) -> tensor<2x6xf32> attributes {num_params = 1 : i64} {
  %0 = ein.gather "ib,i=a->ab" %w, %t : (tensor<6x6xf32>, tensor<2xi32>) -> tensor<2x6xf32>
  ein.return %0 : tensor<2x6xf32>
}
ein.state @keep.old init 0.0
ein.state @keep.all init 0.0

// What is in parts behind one body is read so by the next, and put together where it is needed as a whole: once.
// CHECK-LABEL: ein.model @m(
// CHECK-SAME: tensor<2x4xf32>, %[[O0:.*]]: tensor<2x3xf32>, %[[O1:.*]]: tensor<2x3xf32>, %[[ALL:.*]]: tensor<2x6xf32>, %[[POS:.*]]: tensor<2xi32>)
// CHECK-SAME: arg_names = ["x", #ein.state<"part(keep.old, axis 1, 0 of 2)">, #ein.state<"part(keep.old, axis 1, 1 of 2)">, #ein.state<"keep.all">, "t"]
// CHECK: ein.call @ffn(%{{.*}}) params [@"part(ffn.w1, axis 1, 0 of 2)", @"part(ffn.w1, axis 1, 1 of 2)", @"part(ffn.w2, axis 0, 0 of 2)", @"part(ffn.w2, axis 0, 1 of 2)", @"part(ffn.b, axis 0, 0 of 2)", @"part(ffn.b, axis 0, 1 of 2)", @ffn.g] path "ffn"
// CHECK: %[[H:.*]]:3 = ein.call @joined(
// CHECK: %[[V:.*]]:2 = ein.call @[[TWICE:twice_.*]](%[[H]]#0, %[[H]]#1) path "twice" : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
// CHECK: %[[K:.*]]:5 = ein.call @keep(%{{.*}}, %[[O0]], %[[O1]], %[[ALL]])
// CHECK: %[[R:.*]] = ein.call @lookup(%[[POS]])
// CHECK: ein.call @twice(%[[R]]) path "again" : (tensor<2x6xf32>) -> tensor<2x6xf32>
// CHECK: %[[H0:.*]] = ein.insert_slice %[[H]]#0
// CHECK: %[[H1:.*]] = ein.insert_slice %[[H]]#1
// CHECK: %[[SUM:.*]] = ein.map add "ab,ab->ab" %[[H0]], %[[H1]]
// CHECK-NOT: ein.insert_slice %[[K]]#0
// CHECK: ein.return %{{.*}}, %[[SUM]], {{.*}}, %[[K]]#0, %[[K]]#1, %
ein.func @twice(%h: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = ein.map add "ab,ab->ab" %h, %h : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  ein.return %0 : tensor<2x6xf32>
}
ein.model @m(%x: tensor<2x4xf32>, %old: tensor<2x6xf32>, %all: tensor<2x6xf32>, %t: tensor<2xi32>)
    -> (tensor<2x4xf32>, tensor<2x6xf32>, tensor<2x4xf32>, tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x4xf32>, tensor<2x6xf32>) attributes {
    arg_names = ["x", #ein.state<"keep.old">, #ein.state<"keep.all">, "t"], arg_batch = array<i64: -1, -1, -1, -1>,
    result_names = ["y", "h", "z", "v", "again", #ein.state<"keep.old">, #ein.state<"keep.all">, "k", "r"],
    result_batch = array<i64: -1, -1, -1, -1, -1, -1, -1, -1, -1>} {
  %y = ein.call @ffn(%x) params [@ffn.w1, @ffn.w2, @ffn.b, @ffn.g] path "ffn" : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %h:2 = ein.call @joined(%x) params [@ffn.w1] path "joined" : (tensor<2x4xf32>) -> (tensor<2x6xf32>, tensor<2x4xf32>)
  %v = ein.call @twice(%h#0) path "twice" : (tensor<2x6xf32>) -> tensor<2x6xf32>
  %k:3 = ein.call @keep(%x, %old, %all) params [@ffn.w1] path "keep" : (tensor<2x4xf32>, tensor<2x6xf32>, tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x4xf32>)
  %r = ein.call @lookup(%t) params [@ffn.square] path "lookup" : (tensor<2xi32>) -> tensor<2x6xf32>
  %a = ein.call @twice(%r) path "again" : (tensor<2x6xf32>) -> tensor<2x6xf32>
  ein.return %y, %h#0, %h#1, %v, %a, %k#0, %k#1, %k#2, %r : tensor<2x4xf32>, tensor<2x6xf32>, tensor<2x4xf32>, tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x4xf32>, tensor<2x6xf32>
}
