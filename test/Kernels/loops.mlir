// A loop is one kernel, which holds the kernels of its iterations; its cost is that of all iterations.
// RUN: plc-opt %s --form-kernels --split-input-file --verify-diagnostics | FileCheck %s

// Two kernels in an iteration, of which the second makes the carry and the element at once. What the first makes, 28 bytes, lies
// in scratch; the carry lies where the element does.
// CHECK-LABEL: plan.kernel @recur.0
// CHECK-SAME: (%[[H:.*]]: tensor<7xf32>, %[[X:.*]]: tensor<5x7xf32>, %[[W:.*]]: tensor<7x7xf32>) -> (tensor<7xf32>, tensor<5x7xf32>, tensor<16xi32>)
// CHECK-SAME: by = #plan<by loop>, bytes = 1680 : i64, flops = 560 : i64, kind = #plan<kind loop>, ns = {{[0-9]+}} : i64
// CHECK: plan.kernel @iteration.0{{.*}} bytes = 252 : i64, flops = 98 : i64, kind = #plan<kind contract>
// CHECK: plan.kernel @iteration.1{{.*}} bytes = 84 : i64, flops = 14 : i64, kind = #plan<kind elementwise>
// CHECK: %[[R:.*]]:2 = ein.loop iterations 5 carries(%[[H]]) slices(%[[X]]) with(%[[W]])
// CHECK-NEXT: ^bb0(%[[C:.*]]: tensor<7xf32>, %[[P:.*]]: tensor<7xf32>, %[[V:.*]]: tensor<7x7xf32>):
// CHECK-NEXT: %[[Y:.*]] = plan.call @iteration.0(%[[C]], %[[V]])
// CHECK-NEXT: %[[N:.*]] = plan.call @iteration.1(%[[P]], %[[Y]])
// CHECK-NEXT: ein.return %[[N]], %[[N]]
// CHECK: %[[SCRATCH:.*]] = ein.iota : tensor<16xi32>
// CHECK-NEXT: plan.yield %[[R]]#0, %[[R]]#1, %[[SCRATCH]]
// CHECK-LABEL: ein.func @recur(
// CHECK-NEXT: %[[K:.*]]:3 = plan.call @recur.0(%arg0, %arg1, %arg2)
// CHECK-NEXT: ein.return %[[K]]#0, %[[K]]#1
ein.func @recur(%h: tensor<7xf32>, %x: tensor<5x7xf32>, %w: tensor<7x7xf32>) -> (tensor<7xf32>, tensor<5x7xf32>) {
  %last, %all = ein.loop iterations 5 carries(%h) slices(%x) with(%w) : (tensor<7xf32>, tensor<5x7xf32>, tensor<7x7xf32>) -> (tensor<7xf32>, tensor<5x7xf32>) {
  ^bb0(%carry: tensor<7xf32>, %slice: tensor<7xf32>, %weight: tensor<7x7xf32>):
    %y = ein.contract "b,ba->a" %carry, %weight order [1] : (tensor<7xf32>, tensor<7x7xf32>) -> tensor<7xf32>
    %s = ein.map add "a,a->a" %slice, %y : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %stop = ein.stop %s : tensor<7xf32>
    %next = ein.map tanh "a->a" %stop : (tensor<7xf32>) -> tensor<7xf32>
    %dead = ein.map exp "a->a" %stop : (tensor<7xf32>) -> tensor<7xf32>
    ein.return %next, %next : tensor<7xf32>, tensor<7xf32>
  }
  ein.return %last, %all : tensor<7xf32>, tensor<5x7xf32>
}
// The same in another body is the same kernel.
// CHECK-NOT: plan.kernel
// CHECK-LABEL: ein.func @again(
// CHECK-NEXT: plan.call @recur.0(
ein.func @again(%h: tensor<7xf32>, %x: tensor<5x7xf32>, %w: tensor<7x7xf32>) -> (tensor<7xf32>, tensor<5x7xf32>) {
  %last, %all = ein.loop iterations 5 carries(%h) slices(%x) with(%w) : (tensor<7xf32>, tensor<5x7xf32>, tensor<7x7xf32>) -> (tensor<7xf32>, tensor<5x7xf32>) {
  ^bb0(%carry: tensor<7xf32>, %slice: tensor<7xf32>, %weight: tensor<7x7xf32>):
    %y = ein.contract "b,ba->a" %carry, %weight order [1] : (tensor<7xf32>, tensor<7x7xf32>) -> tensor<7xf32>
    %s = ein.map add "a,a->a" %slice, %y : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
    %next = ein.map tanh "a->a" %s : (tensor<7xf32>) -> tensor<7xf32>
    ein.return %next, %next : tensor<7xf32>, tensor<7xf32>
  }
  ein.return %last, %all : tensor<7xf32>, tensor<5x7xf32>
}

// -----

// Carries that swap are copied, to buffers of 64 bytes each beside the results.
// CHECK-LABEL: plan.kernel @swap.0
// CHECK-SAME: -> (tensor<3xf32>, tensor<3xf32>, tensor<32xi32>)
// CHECK: ein.map id
// CHECK: ein.loop
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<3xf32>, %[[Y:.*]]: tensor<3xf32>):
// CHECK-NEXT: %[[A:.*]] = plan.call @iteration.0(%[[Y]])
// CHECK-NEXT: %[[B:.*]] = plan.call @iteration.0(%[[X]])
// CHECK-NEXT: ein.return %[[A]], %[[B]]
ein.func @swap(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %r:2 = ein.loop iterations 7 carries(%a, %b) slices() with() : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  ^bb0(%x: tensor<3xf32>, %y: tensor<3xf32>):
    ein.return %y, %x : tensor<3xf32>, tensor<3xf32>
  }
  ein.return %r#0, %r#1 : tensor<3xf32>, tensor<3xf32>
}

// -----

// A slice of which each part is one piece is read where it lies, a window or not; another is copied first.
// CHECK-LABEL: plan.kernel @slices.0
// CHECK: ein.map id
// CHECK-LABEL: plan.kernel @slices.1(%arg0: tensor<4xf32>, %arg1: tensor<6x4xf32>, %arg2: tensor<3x4xf32>)
// CHECK: %[[ROWS:.*]] = ein.window %arg1
// CHECK: ein.loop iterations 3 carries(%arg0) slices(%[[ROWS]], %arg2) with()
ein.func @slices(%h: tensor<4xf32>, %x: tensor<6x4xf32>, %y: tensor<4x3xf32>) -> tensor<4xf32> {
  %rows = ein.window %x at affine_map<(i, j) -> (i * 2 + 1, j)> : (tensor<6x4xf32>) -> tensor<3x4xf32>
  %turned = ein.window %y at affine_map<(i, j) -> (j, i)> : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %r = ein.loop iterations 3 carries(%h) slices(%rows, %turned) with() : (tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>, %p: tensor<4xf32>, %q: tensor<4xf32>):
    %s = ein.map add "a,a->a" %p, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %n = ein.map add "a,a->a" %q, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ein.return %n : tensor<4xf32>
  }
  ein.return %r : tensor<4xf32>
}

// -----

ein.func @large(%h: tensor<65536x4096xf32>) -> tensor<65536x4096xf32> {
  // expected-error@+1 {{runs over more than 2^48 points}}
  %r = ein.loop iterations 1048577 carries(%h) slices() with() : (tensor<65536x4096xf32>) -> tensor<65536x4096xf32> {
  ^bb0(%c: tensor<65536x4096xf32>):
    %n = ein.map neg "ab->ab" %c : (tensor<65536x4096xf32>) -> tensor<65536x4096xf32>
    ein.return %n : tensor<65536x4096xf32>
  }
  ein.return %r : tensor<65536x4096xf32>
}

// -----

ein.func @order(%h: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = ein.loop iterations 2 carries(%h) slices() with() : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%c: tensor<4x4xf32>):
    // expected-error@+1 {{has no order: run '--ein-fix-numerics' first}}
    %n = ein.contract "ac,cb->ab" %c, %c : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    ein.return %n : tensor<4x4xf32>
  }
  ein.return %r : tensor<4x4xf32>
}
