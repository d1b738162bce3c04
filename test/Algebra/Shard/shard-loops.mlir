// A loop whose iterations do each part by itself is a loop for each part. Others read wholes.
// RUN: plc-opt %s --ein-shard=sizes=F=2 | FileCheck %s
// RUN: plc-opt %s --ein-shard=sizes=F=2 | plc-opt

// CHECK-DAG: #[[SECOND:.*]] = affine_map<(d0) -> (d0 + 3)>
// CHECK-DAG: #[[COLUMNS:.*]] = affine_map<(d0, d1) -> (d0, d1 + 3)>
ein.param @scan.w : tensor<6xf32> init normal(0.02, 0.0) sizes ["F"]

// What is carried is in parts because the next turn's is, the start and what an iteration has from elsewhere are sliced, and what no
// part has to do with is the same in both.
// CHECK-LABEL: ein.func @scan(
// CHECK-SAME: %[[X:.*]]: tensor<5x6xf32>, %[[C:.*]]: tensor<6xf32>, %[[N:.*]]: tensor<f32>, %[[W0:.*]]: tensor<3xf32>, %[[W1:.*]]: tensor<3xf32>)
// CHECK-SAME: -> (tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<5x3xf32>, tensor<5x3xf32>)
// CHECK: %[[C0:.*]] = ein.window %[[C]]
// CHECK: %[[A:.*]]:3 = ein.loop iterations 5 reverse carries(%[[C0]], %[[N]]) slices(%[[X]]) with(%[[W0]]) : (tensor<3xf32>, tensor<f32>, tensor<5x6xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>, tensor<5x3xf32>) {
// CHECK-NEXT: ^bb0(%[[H:.*]]: tensor<3xf32>, %[[I:.*]]: tensor<f32>, %[[S:.*]]: tensor<6xf32>, %[[U:.*]]: tensor<3xf32>):
// CHECK-NEXT: %[[M:.*]] = ein.map mul "a,a->a" %[[H]], %[[U]]
// CHECK-NEXT: %[[P:.*]] = ein.window %[[S]] at
// CHECK-NEXT: %[[Y:.*]] = ein.map add "a,a->a" %[[M]], %[[P]]
// CHECK: ein.return %[[Y]], %{{.*}}, %[[Y]] : tensor<3xf32>, tensor<f32>, tensor<3xf32>
// CHECK: %[[C1:.*]] = ein.window %[[C]] at #[[SECOND]]
// CHECK: %[[B:.*]]:3 = ein.loop iterations 5 reverse carries(%[[C1]], %[[N]]) slices(%[[X]]) with(%[[W1]])
// CHECK: ein.window %{{.*}} at #[[SECOND]]
// CHECK: ein.return %[[A]]#0, %[[B]]#0, %[[A]]#1, %[[A]]#2, %[[B]]#2
ein.func @scan(%x: tensor<5x6xf32>, %c: tensor<6xf32>, %n: tensor<f32>, %w: tensor<6xf32>)
    -> (tensor<6xf32>, tensor<f32>, tensor<5x6xf32>) attributes {num_params = 1 : i64} {
  %0:3 = ein.loop iterations 5 reverse carries(%c, %n) slices(%x) with(%w) : (tensor<6xf32>, tensor<f32>, tensor<5x6xf32>, tensor<6xf32>) -> (tensor<6xf32>, tensor<f32>, tensor<5x6xf32>) {
  ^bb0(%h: tensor<6xf32>, %i: tensor<f32>, %s: tensor<6xf32>, %u: tensor<6xf32>):
    %m = ein.map mul "a,a->a" %h, %u : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %y = ein.map add "a,a->a" %m, %s : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %j = ein.map add ",->" %i, %i : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ein.return %y, %j, %y : tensor<6xf32>, tensor<f32>, tensor<6xf32>
  }
  ein.return %0#0, %0#1, %0#2 : tensor<6xf32>, tensor<f32>, tensor<5x6xf32>
}

// Values of all iterations in parts, and what starts anew in each iteration is sliced where the next one reads a part.
// CHECK-LABEL: ein.func @restart(
// CHECK-SAME: -> (tensor<3xf32>, tensor<3xf32>)
// CHECK: %[[V0:.*]] = ein.map mul "ab,b->ab"
// CHECK: %[[V1:.*]] = ein.map mul "ab,b->ab"
// CHECK: ein.loop iterations 5 carries(%{{.*}}) slices(%[[V0]]) with(%[[Z:.*]]) : (tensor<3xf32>, tensor<5x3xf32>, tensor<6xf32>) -> tensor<3xf32>
// CHECK: ^bb0(%{{.*}}: tensor<3xf32>, %{{.*}}: tensor<3xf32>, %[[O:.*]]: tensor<6xf32>)
// CHECK: %[[O0:.*]] = ein.window %[[O]]
// CHECK-NEXT: ein.return %[[O0]] : tensor<3xf32>
// CHECK: ein.loop iterations 5 carries(%{{.*}}) slices(%[[V1]]) with(%[[Z]])
// CHECK: %[[O1:.*]] = ein.window %{{.*}} at #[[SECOND]]
// CHECK-NEXT: ein.return %[[O1]] : tensor<3xf32>
ein.func @restart(%x: tensor<5x6xf32>, %z: tensor<6xf32>, %w: tensor<6xf32>) -> tensor<6xf32> attributes {num_params = 1 : i64} {
  %v = ein.map mul "ab,b->ab" %x, %w : (tensor<5x6xf32>, tensor<6xf32>) -> tensor<5x6xf32>
  %c = ein.map mul "a,a->a" %z, %w : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %0 = ein.loop iterations 5 carries(%c) slices(%v) with(%z) : (tensor<6xf32>, tensor<5x6xf32>, tensor<6xf32>) -> tensor<6xf32> {
  ^bb0(%h: tensor<6xf32>, %s: tensor<6xf32>, %u: tensor<6xf32>):
    %m = ein.map mul "a,a->a" %h, %s : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    ein.return %u : tensor<6xf32>
  }
  ein.return %0 : tensor<6xf32>
}

// An iteration that adds up over the divided axis, as a recurrent layer's does, needs all parts of what the last one gave.
// CHECK-LABEL: ein.func @mixed(
// CHECK-SAME: -> tensor<6xf32>
// CHECK: %[[WHOLE:.*]] = ein.map add "ab,ab->ab"
// CHECK: ein.loop iterations 5 carries(%{{.*}}) slices(%[[WHOLE]]) with(%{{.*}}) : (tensor<6xf32>, tensor<5x6xf32>, tensor<6x6xf32>) -> tensor<6xf32>
// CHECK-NOT: ein.loop
// CHECK: ein.return
ein.func @mixed(%x: tensor<5x6xf32>, %z: tensor<6xf32>, %q: tensor<6x6xf32>, %w: tensor<6xf32>) -> tensor<6xf32> attributes {num_params = 1 : i64} {
  %v = ein.map mul "ab,b->ab" %x, %w : (tensor<5x6xf32>, tensor<6xf32>) -> tensor<5x6xf32>
  %0 = ein.loop iterations 5 carries(%z) slices(%v) with(%q) : (tensor<6xf32>, tensor<5x6xf32>, tensor<6x6xf32>) -> tensor<6xf32> {
  ^bb0(%h: tensor<6xf32>, %s: tensor<6xf32>, %u: tensor<6x6xf32>):
    %m = ein.contract "b,ba->a" %h, %u : (tensor<6xf32>, tensor<6x6xf32>) -> tensor<6xf32>
    %y = ein.map add "a,a->a" %m, %s : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    ein.return %y : tensor<6xf32>
  }
  ein.return %0 : tensor<6xf32>
}

ein.model @m(%x: tensor<5x6xf32>, %c: tensor<6xf32>, %n: tensor<f32>, %q: tensor<6x6xf32>) -> (tensor<6xf32>, tensor<f32>, tensor<5x6xf32>, tensor<6xf32>, tensor<6xf32>) attributes {
    arg_names = ["x", "c", "n", "q"], arg_batch = array<i64: -1, -1, -1, -1>,
    result_names = ["last", "count", "all", "again", "mixed"], result_batch = array<i64: -1, -1, -1, -1, -1>} {
  %0:3 = ein.call @scan(%x, %c, %n) params [@scan.w] path "scan" : (tensor<5x6xf32>, tensor<6xf32>, tensor<f32>) -> (tensor<6xf32>, tensor<f32>, tensor<5x6xf32>)
  %1 = ein.call @restart(%x, %c) params [@scan.w] path "restart" : (tensor<5x6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %2 = ein.call @mixed(%x, %c, %q) params [@scan.w] path "mixed" : (tensor<5x6xf32>, tensor<6xf32>, tensor<6x6xf32>) -> tensor<6xf32>
  ein.return %0#0, %0#1, %0#2, %1, %2 : tensor<6xf32>, tensor<f32>, tensor<5x6xf32>, tensor<6xf32>, tensor<6xf32>
}
