// RUN: plc-opt %s --ein-recompute-iterations | FileCheck %s
// RUN: plc-opt %s --record-numerics --ein-recompute-iterations --verify-numerics -o %t.mlir
// RUN: sed 's/tanh/sigmoid/' %t.mlir | not plc-opt --verify-numerics -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: program 'm' has equations of digest

// F gives what its segments begin with in the place of what its iterations saved.
// CHECK-LABEL: ein.func @f
// CHECK: %[[R:.*]]:2 = ein.loop iterations 8 carries(%{{.*}}) slices(%[[X:.*]]) with(%[[W:.*]]) attributes {ein.segments} : {{.*}} -> (tensor<4xf32>, tensor<8x4xf32>) {
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<4xf32>, %[[P:.*]]: tensor<8x4xf32>, %[[A:.*]]: tensor<4xf32>):
// CHECK-NEXT: %[[T:.*]]:2 = ein.loop iterations 8 carries(%[[C]]) slices(%[[P]]) with(%[[A]])
// CHECK: ein.return %[[T]]#0, %[[C]]
// CHECK: ein.return %[[R]]#0, %[[R]]#1 : tensor<4xf32>, tensor<8x4xf32>
ein.param @w : tensor<4xf32> init normal(1.0, 0.0)
ein.func @f(%x: tensor<8x8x4xf32>, %zero: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<8x8x4xf32>) attributes {num_params = 1 : i64, role = "F"} {
  %r:2 = ein.loop iterations 8 carries(%zero) slices(%x) with(%w) attributes {ein.segments} : (tensor<4xf32>, tensor<8x8x4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<8x8x4xf32>) {
  ^bb0(%c: tensor<4xf32>, %p: tensor<8x4xf32>, %a: tensor<4xf32>):
    %t:2 = ein.loop iterations 8 carries(%c) slices(%p) with(%a) : (tensor<4xf32>, tensor<8x4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
    ^bb0(%h: tensor<4xf32>, %q: tensor<4xf32>, %b: tensor<4xf32>):
      %0 = ein.map mul "a,a->a" %h, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %1 = ein.map add "a,a->a" %0, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %2 = ein.map tanh "a->a" %1 : (tensor<4xf32>) -> tensor<4xf32>
      ein.return %2, %2 : tensor<4xf32>, tensor<4xf32>
    }
    ein.return %t#0, %t#1 : tensor<4xf32>, tensor<8x4xf32>
  }
  ein.return %r#0, %r#1 : tensor<4xf32>, tensor<8x8x4xf32>
}

// A segment of B runs the iterations forward, then backward. It reads what F read, and a parameter of F.
// CHECK-LABEL: ein.func @b
// CHECK-SAME: (%[[G:.*]]: tensor<4xf32>, %[[BEGIN:.*]]: tensor<8x4xf32>, %[[X:.*]]: tensor<8x8x4xf32>, %[[W:.*]]: tensor<4xf32>)
// CHECK: ein.loop iterations 8 reverse carries(%[[G]]) slices(%[[BEGIN]], %[[X]]) with(%[[W]]) attributes {ein.segments}
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<4xf32>, %[[S:.*]]: tensor<4xf32>, %[[P:.*]]: tensor<8x4xf32>, %[[A:.*]]: tensor<4xf32>):
// CHECK-NEXT: %[[T:.*]]:2 = ein.loop iterations 8 carries(%[[S]]) slices(%[[P]]) with(%[[A]])
// CHECK: tanh
// CHECK: ein.loop iterations 8 reverse carries(%[[C]]) slices(%[[T]]#1) with()
ein.func @b(%g: tensor<4xf32>, %saved: tensor<8x8x4xf32>) -> tensor<4xf32> attributes {role = "B"} {
  %r = ein.loop iterations 8 reverse carries(%g) slices(%saved) with() attributes {ein.segments} : (tensor<4xf32>, tensor<8x8x4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>, %p: tensor<8x4xf32>):
    %t = ein.loop iterations 8 reverse carries(%c) slices(%p) with() : (tensor<4xf32>, tensor<8x4xf32>) -> tensor<4xf32> {
    ^bb0(%d: tensor<4xf32>, %h: tensor<4xf32>):
      %0 = ein.map mul "a,a->a" %h, %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ein.return %0 : tensor<4xf32>
    }
    ein.return %t : tensor<4xf32>
  }
  ein.return %r : tensor<4xf32>
}

// CHECK: ein.model @m
// CHECK: %[[F:.*]]:2 = ein.call @f(%[[IN:.*]], %{{.*}}) params [@w] path "a"
// CHECK: ein.call @b(%[[F]]#0, %[[F]]#1, %[[IN]]) params [@w] path "a"
ein.model @m(%x: tensor<8x8x4xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>) attributes {
    arg_names = ["x", "z"], arg_batch = array<i64: -1, -1>, result_names = ["y"], result_batch = array<i64: -1>} {
  %0:2 = ein.call @f(%x, %z) params [@w] path "a" : (tensor<8x8x4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<8x8x4xf32>)
  %1 = ein.call @b(%0#0, %0#1) path "a" : (tensor<4xf32>, tensor<8x8x4xf32>) -> tensor<4xf32>
  ein.return %1 : tensor<4xf32>
}
