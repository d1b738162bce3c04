// RUN: plc-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{has type 'tensor<?xf32>' in its signature but needs a tensor of 1 to 2^48 elements f16, bf16, f32, f64, i8, ui8, i32, i64 or i1}}
plan.kernel @kernel_c4(%x: tensor<?xf32>) -> tensor<?xf32> attributes {kind = #plan<kind elementwise>} {
  plan.yield %x : tensor<?xf32>
}

// -----

plan.kernel @kernel_c4(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  // expected-error@+1 {{is no equation but stands in kernel 'kernel_c4'}}
  %y = plan.call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %x : tensor<4xf32>
}

// -----

plan.kernel @kernel_c1(%x: tensor<4xf32>) -> tensor<5xf32> attributes {kind = #plan<kind elementwise>} {
  // expected-error@+1 {{yields 'tensor<4xf32>' but the kernel has results 'tensor<5xf32>'}}
  plan.yield %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{does not end with 'plan.yield'}}
plan.kernel @kernel_c1(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  ein.return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{accumulator 'tensor<4xf32>' differs from its result 'tensor<5xf32>'}}
plan.kernel @kernel_c2(%x: tensor<5xf32>, %acc: tensor<4xf32>) -> tensor<5xf32>
    attributes {kind = #plan<kind columns>, num_accumulators = 1 : i64} {
  plan.yield %x : tensor<5xf32>
}

// -----

// expected-error@+1 {{has 1 arguments and 1 results but says 2 accumulators}}
plan.kernel @kernel_c3(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {kind = #plan<kind columns>, num_accumulators = 2 : i64} {
  plan.yield %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{runs in place but is of kind 'columns'}}
plan.kernel @kernel_c8(%x: tensor<4xf32>) -> tensor<4xf32> attributes {in_place, kind = #plan<kind columns>} {
  plan.yield %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{attribute 'ns' failed to satisfy constraint: a count whose value is non-negative}}
plan.kernel @kernel_cost(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind columns>, ns = -1 : i64} {
  plan.yield %x : tensor<4xf32>
}

// -----

ein.func @body(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{calls 'k', which is no 'plan.kernel'}}
  %y = plan.call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  ein.return %y : tensor<4xf32>
}

// -----

// expected-note@+1 {{declared here}}
plan.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  plan.yield %x : tensor<4xf32>
}
ein.func @call_c1(%x: tensor<5xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{has arguments 'tensor<5xf32>' but 'k' has 'tensor<4xf32>'}}
  %y = plan.call @k(%x) : (tensor<5xf32>) -> tensor<4xf32>
  ein.return %y : tensor<4xf32>
}

// -----

// expected-error@+1 {{has 0 blocks but needs one}}
plan.kernel @kernel_c1_blocks(tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>}

// -----

plan.kernel @kernel_c1_count(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  // expected-error@+1 {{yields 2 values but the kernel has 1 results}}
  plan.yield %x, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

ein.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  ein.return %x : tensor<4xf32>
}
plan.kernel @kernel_c4_call(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  // expected-error@+1 {{is no equation but stands in kernel 'kernel_c4_call'}}
  %y = ein.call @f(%x) path "f" : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %y : tensor<4xf32>
}

// -----

// expected-error@+1 {{is of kind 'rows' but 'tiles' computes kernels of kind 'contract'}}
plan.kernel @kernel_c5(%x: tensor<4xf32>) -> tensor<4xf32> attributes {by = #plan<by tiles>, kind = #plan<kind rows>} {
  plan.yield %x : tensor<4xf32>
}
