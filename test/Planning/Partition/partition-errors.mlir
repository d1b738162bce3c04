// RUN: plc-opt %s --plan-partition --split-input-file --verify-diagnostics

#id = affine_map<(i) -> (i)>
ein.model @equations(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    arg_names = ["x"], result_names = ["y"], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  // expected-error@+1 {{stands in model 'equations', which must hold calls alone}}
  %y = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  ein.return %y : tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>
ein.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{stands in body 'f', which must hold kernel calls alone}}
  %y = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  ein.return %y : tensor<4xf32>
}
ein.model @p(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    arg_names = ["x"], result_names = ["y"], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  %y = ein.call @f(%x) path "a" : (tensor<4xf32>) -> tensor<4xf32>
  ein.return %y : tensor<4xf32>
}

// -----

ein.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  ein.return %x : tensor<4xf32>
}
ein.model @p(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    arg_names = ["x"], result_names = ["y"], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  %y = ein.call @f(%x) path "a" : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error@+1 {{has path 'a', as an earlier call has}}
  %z = ein.call @f(%y) path "a" : (tensor<4xf32>) -> tensor<4xf32>
  ein.return %z : tensor<4xf32>
}

// -----

ein.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {role = "B"} {
  ein.return %x : tensor<4xf32>
}
ein.model @p(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    arg_names = ["x"], result_names = ["y"], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  // expected-error@+1 {{has path 'a' but no forward call has}}
  %y = ein.call @f(%x) path "a" : (tensor<4xf32>) -> tensor<4xf32>
  ein.return %y : tensor<4xf32>
}

// -----

ein.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  ein.return %x : tensor<4xf32>
}
// expected-error@+1 {{model 'p' calls no kernel}}
ein.model @p(%x: tensor<4xf32>) -> tensor<4xf32> attributes {
    arg_names = ["x"], result_names = ["y"], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  %y = ein.call @f(%x) path "a" : (tensor<4xf32>) -> tensor<4xf32>
  ein.return %y : tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>
plan.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  %y = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %y : tensor<4xf32>
}
ein.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = plan.call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  ein.return %y, %x : tensor<4xf32>, tensor<4xf32>
}
// expected-error@+1 {{output 'z' is an input or a parameter; run --ein-copy-results first}}
ein.model @p(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {
    arg_names = ["x"], result_names = ["y", "z"], arg_batch = array<i64: -1>, result_batch = array<i64: -1, -1>} {
  %y:2 = ein.call @f(%x) path "a" : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  ein.return %y#0, %y#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>
plan.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  %y = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %y : tensor<4xf32>
}
ein.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = plan.call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  ein.return %y : tensor<4xf32>
}
// expected-error@+1 {{outputs 'y' and 'z' are one value; run --ein-copy-results first}}
ein.model @p(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {
    arg_names = ["x"], result_names = ["y", "z"], arg_batch = array<i64: -1>, result_batch = array<i64: -1, -1>} {
  %y = ein.call @f(%x) path "a" : (tensor<4xf32>) -> tensor<4xf32>
  ein.return %y, %y : tensor<4xf32>, tensor<4xf32>
}

// -----

plan.kernel @grad(%x: tensor<4xf32>, %acc: tensor<4xf32>) -> tensor<4xf32>
    attributes {kind = #plan<kind elementwise>, num_accumulators = 1 : i64} {
  plan.yield %acc : tensor<4xf32>
}
ein.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{accumulates into a value that is no gradient site}}
  %y = plan.call @grad(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  ein.return %y : tensor<4xf32>
}
ein.model @p(%x: tensor<4xf32>) -> tensor<4xf32> attributes {arg_names = ["x"], result_names = ["y"],
    arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  %y = ein.call @f(%x) path "a" : (tensor<4xf32>) -> tensor<4xf32>
  ein.return %y : tensor<4xf32>
}

// -----

plan.kernel @grad(%x: tensor<4xf32>, %acc: tensor<4xf32>) -> tensor<4xf32>
    attributes {kind = #plan<kind elementwise>, num_accumulators = 1 : i64} {
  plan.yield %acc : tensor<4xf32>
}
ein.param @w : tensor<4xf32> init constant(0.0, 0.0)
ein.func @f(%x: tensor<4xf32>, %acc: tensor<4xf32>) -> tensor<4xf32> attributes {num_accumulators = 1 : i64} {
  // expected-error@+1 {{reads a gradient site as operand #0}}
  %y = plan.call @grad(%acc, %acc) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  ein.return %y : tensor<4xf32>
}
ein.model @p(%x: tensor<4xf32>) attributes {arg_names = ["x"], result_names = [],
    arg_batch = array<i64: -1>, result_batch = array<i64>} {
  ein.call @f(%x) accumulates [@w] path "a" : (tensor<4xf32>) -> ()
  ein.return
}

// -----

// expected-error@+1 {{module has no 'ein.model' to cut: this pass runs once}}
module {
}
