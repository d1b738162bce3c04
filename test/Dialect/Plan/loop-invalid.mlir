// RUN: plc-opt %s --split-input-file --verify-diagnostics

plan.kernel @kernel_c4(%h: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  // expected-error@+1 {{is no equation but stands in kernel 'kernel_c4'}}
  %r = ein.loop iterations 3 carries(%h) slices() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    ein.return %c : tensor<4xf32>
  }
  plan.yield %r : tensor<4xf32>
}

// -----

// expected-error@+1 {{of kind 'loop' has 0 loops and 0 accumulators but needs one loop and no accumulator}}
plan.kernel @kernel_c6(%h: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind loop>} {
  plan.yield %h : tensor<4xf32>
}

// -----

// expected-error@+1 {{of kind 'loop' has 1 loops and 1 accumulators but needs one loop and no accumulator}}
plan.kernel @kernel_c6(%h: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind loop>, num_accumulators = 1 : i64} {
  plan.kernel @turn(%a: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
    %s = ein.map neg "a->a" %a : (tensor<4xf32>) -> tensor<4xf32>
    plan.yield %s : tensor<4xf32>
  }
  %r = ein.loop iterations 3 carries(%h) slices() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    %s = plan.call @turn(%c) : (tensor<4xf32>) -> tensor<4xf32>
    ein.return %s : tensor<4xf32>
  }
  plan.yield %r : tensor<4xf32>
}

// -----

plan.kernel @kernel_c6(%h: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind loop>} {
  %r = ein.loop iterations 3 carries(%h) slices() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    // expected-error@+1 {{is no call but stands in an iteration of kernel 'kernel_c6'}}
    %s = ein.map neg "a->a" %c : (tensor<4xf32>) -> tensor<4xf32>
    ein.return %s : tensor<4xf32>
  }
  plan.yield %r : tensor<4xf32>
}

// -----

plan.kernel @kernel_c6(%h: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind loop>} {
  %r = ein.loop iterations 3 carries(%h) slices() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    // expected-error@+1 {{gives a value twice, or one that no call of the iteration makes}}
    ein.return %c : tensor<4xf32>
  }
  plan.yield %r : tensor<4xf32>
}

// -----

plan.kernel @kernel_c6(%h: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {kind = #plan<kind loop>} {
  plan.kernel @turn(%a: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
    %s = ein.map neg "a->a" %a : (tensor<4xf32>) -> tensor<4xf32>
    plan.yield %s : tensor<4xf32>
  }
  %r:2 = ein.loop iterations 3 carries(%h, %h) slices() with() : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%c: tensor<4xf32>, %d: tensor<4xf32>):
    %s = plan.call @turn(%c) : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error@+1 {{gives a value twice, or one that no call of the iteration makes}}
    ein.return %s, %s : tensor<4xf32>, tensor<4xf32>
  }
  plan.yield %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Kernels of a loop are its own.
plan.kernel @outside(%a: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind loop>} {
  plan.kernel @turn(%b: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
    %s = ein.map neg "a->a" %b : (tensor<4xf32>) -> tensor<4xf32>
    plan.yield %s : tensor<4xf32>
  }
  %r = ein.loop iterations 3 carries(%a) slices() with() : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%c: tensor<4xf32>):
    %s = plan.call @turn(%c) : (tensor<4xf32>) -> tensor<4xf32>
    ein.return %s : tensor<4xf32>
  }
  plan.yield %r : tensor<4xf32>
}
ein.func @body(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{calls 'turn', which is no 'plan.kernel'}}
  %y = plan.call @turn(%x) : (tensor<4xf32>) -> tensor<4xf32>
  ein.return %y : tensor<4xf32>
}
