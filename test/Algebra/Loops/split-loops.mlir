// RUN: plc-opt %s --ein-split-loops --split-input-file | FileCheck %s

// The input's product is one over all iterations before the loop, the output's one behind it, and what is the same in all
// iterations is made once; elementwise equations stay.
// CHECK-LABEL: ein.func @recur
// CHECK-SAME: (%[[H:.*]]: tensor<2x4xf32>, %[[X:.*]]: tensor<5x2x3xf32>, %[[W:.*]]: tensor<3x4xf32>, %[[U:.*]]: tensor<4x4xf32>, %[[O:.*]]: tensor<4x6xf32>)
// CHECK: %[[XW:.*]] = ein.contract "abd,dc->abc" %[[X]], %[[W]] : (tensor<5x2x3xf32>, tensor<3x4xf32>) -> tensor<5x2x4xf32>
// CHECK: %[[UU:.*]] = ein.map mul "ab,ab->ab" %[[U]], %[[U]]
// CHECK: %[[R:.*]]:2 = ein.loop iterations 5 carries(%[[H]]) slices(%[[XW]]) with(%[[UU]])
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<2x4xf32>, %[[P:.*]]: tensor<2x4xf32>, %[[A:.*]]: tensor<4x4xf32>):
// CHECK-NEXT: %[[HU:.*]] = ein.contract "ac,cb->ab" %[[C]], %[[A]]
// CHECK-NEXT: %[[S:.*]] = ein.map add "ab,ab->ab" %[[P]], %[[HU]]
// CHECK-NEXT: ein.return %[[S]], %[[S]]
// CHECK: %[[Y:.*]] = ein.contract "abd,dc->abc" %[[R]]#1, %[[O]] : (tensor<5x2x4xf32>, tensor<4x6xf32>) -> tensor<5x2x6xf32>
// CHECK-NEXT: ein.return %[[R]]#0, %[[Y]], %[[X]]
ein.func @recur(%h: tensor<2x4xf32>, %x: tensor<5x2x3xf32>, %w: tensor<3x4xf32>, %u: tensor<4x4xf32>, %o: tensor<4x6xf32>)
    -> (tensor<2x4xf32>, tensor<5x2x6xf32>, tensor<5x2x3xf32>) {
  %r:3 = ein.loop iterations 5 carries(%h) slices(%x) with(%w, %u, %o) : (tensor<2x4xf32>, tensor<5x2x3xf32>, tensor<3x4xf32>, tensor<4x4xf32>, tensor<4x6xf32>)
      -> (tensor<2x4xf32>, tensor<5x2x6xf32>, tensor<5x2x3xf32>) {
  ^bb0(%c: tensor<2x4xf32>, %p: tensor<2x3xf32>, %a: tensor<3x4xf32>, %b: tensor<4x4xf32>, %d: tensor<4x6xf32>):
    %0 = ein.contract "ac,cb->ab" %p, %a : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %1 = ein.map mul "ab,ab->ab" %b, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = ein.contract "ac,cb->ab" %c, %1 : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %3 = ein.map add "ab,ab->ab" %0, %2 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %4 = ein.contract "ac,cb->ab" %3, %d : (tensor<2x4xf32>, tensor<4x6xf32>) -> tensor<2x6xf32>
    ein.return %3, %4, %p : tensor<2x4xf32>, tensor<2x6xf32>, tensor<2x3xf32>
  }
  ein.return %r#0, %r#1, %r#2 : tensor<2x4xf32>, tensor<5x2x6xf32>, tensor<5x2x3xf32>
}

// -----

// A carry that stays as it is, one that nothing needs, and an element that is there twice.
// CHECK-LABEL: ein.func @prune
// CHECK: %[[R:.*]]:2 = ein.loop iterations 3 carries(%arg0) slices() with(%arg1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>)
// CHECK: ein.return %[[R]]#0, %arg1, %[[R]]#1, %[[R]]#1
ein.func @prune(%h: tensor<4xf32>, %k: tensor<4xf32>, %z: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %r:5 = ein.loop iterations 3 carries(%h, %k, %z) slices() with() : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>):
    %0 = ein.map add "a,a->a" %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = ein.map neg "a->a" %c : (tensor<4xf32>) -> tensor<4xf32>
    ein.return %0, %b, %1, %0, %0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  ein.return %r#0, %r#1, %r#3, %r#4 : tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

// What leaves an inner loop may leave the outer one too; the inner loop stays.
// CHECK-LABEL: ein.func @nested
// CHECK: %[[E:.*]] = ein.map exp "abc->abc" %arg1 : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: ein.loop iterations 2 carries(%arg0) slices(%[[E]]) with()
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<4xf32>, %[[P:.*]]: tensor<3x4xf32>):
// CHECK-NEXT: ein.loop iterations 3 carries(%[[A]]) slices(%[[P]]) with()
ein.func @nested(%h: tensor<4xf32>, %x: tensor<2x3x4xf32>) -> tensor<4xf32> {
  %r = ein.loop iterations 2 carries(%h) slices(%x) with() : (tensor<4xf32>, tensor<2x3x4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %p: tensor<3x4xf32>):
    %s = ein.loop iterations 3 carries(%a) slices(%p) with() : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4xf32> {
    ^bb0(%b: tensor<4xf32>, %q: tensor<4xf32>):
      %0 = ein.map exp "a->a" %q : (tensor<4xf32>) -> tensor<4xf32>
      %1 = ein.map add "a,a->a" %b, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      ein.return %1 : tensor<4xf32>
    }
    ein.return %s : tensor<4xf32>
  }
  ein.return %r : tensor<4xf32>
}
