// One case per constraint of ein.put, ein.state and of states in ein.model.
// RUN: plc-opt %s --split-input-file --verify-diagnostics

ein.func @put_c1(%row: tensor<3xf32>, %pos: tensor<3xi32>, %old: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{map of the result has 1 dimensions and 0 symbols but the domain has 1 and 1}}
  %0 = ein.put %row, %pos over [3] maps [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>, affine_map<(a) -> (a)>] into %old : tensor<8xf32> : (tensor<3xf32>, tensor<3xi32>) -> tensor<8xf32>
  ein.return %0 : tensor<8xf32>
}
// -----
ein.func @put_c3(%row: tensor<3x3xf32>, %pos: tensor<3xi32>, %old: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{map of the updates is no permutation of the domain}}
  %0 = ein.put "aa,i=a->i" %row, %pos into %old : tensor<8xf32> : (tensor<3x3xf32>, tensor<3xi32>) -> tensor<8xf32>
  ein.return %0 : tensor<8xf32>
}
// -----
ein.func @put_c4(%row: tensor<3xi32>, %pos: tensor<3xi32>, %old: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{operand #0 has element type 'i32' but the result has 'f32'}}
  %0 = ein.put "a,i=a->i" %row, %pos into %old : tensor<8xf32> : (tensor<3xi32>, tensor<3xi32>) -> tensor<8xf32>
  ein.return %0 : tensor<8xf32>
}
// -----
ein.func @put_c4_accumulator(%row: tensor<3xf32>, %pos: tensor<3xi32>, %old: tensor<9xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{accumulates 'tensor<8xf32>' into 'tensor<9xf32>'}}
  %0 = ein.put "a,i=a->i" %row, %pos into %old : tensor<9xf32> : (tensor<3xf32>, tensor<3xi32>) -> tensor<8xf32>
  ein.return %0 : tensor<8xf32>
}
// -----
ein.func @put_into_nothing(%row: tensor<3xf32>, %pos: tensor<3xi32>) -> tensor<8xf32> {
  // expected-error@+1 {{replaces elements of no state, expected 'into'}}
  %0 = ein.put "a,i=a->i" %row, %pos : (tensor<3xf32>, tensor<3xi32>) -> tensor<8xf32>
  ein.return %0 : tensor<8xf32>
}
// -----
// expected-error@+1 {{is state 'f.k' of model 'm', which has an output 'loss'}}
ein.state @f.k init 0.0
ein.model @m(%x: tensor<f32>) -> tensor<f32> attributes {arg_names = ["x"], result_names = ["loss"], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  ein.return %x : tensor<f32>
}
// -----
// expected-error@+1 {{has a state 'f.k' that no 'ein.state' declares}}
ein.model @model_c5(%x: tensor<3xf32>) -> tensor<3xf32> attributes {arg_names = [#ein.state<"f.k">], result_names = [#ein.state<"f.k">], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  ein.return %x : tensor<3xf32>
}
// -----
ein.state @f.k init 0.0
// expected-error@+1 {{has state 'f.k' as a result but not as an argument}}
ein.model @model_c5(%x: tensor<3xf32>) -> tensor<3xf32> attributes {arg_names = ["x"], result_names = [#ein.state<"f.k">], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  ein.return %x : tensor<3xf32>
}
// -----
ein.state @f.k init 0.0
// expected-error@+1 {{has state 'f.k' of 'tensor<3xf32>', batch axis 0, before a run but of 'tensor<3xf32>', batch axis -1, behind it}}
ein.model @model_c5(%x: tensor<3xf32>) -> tensor<3xf32> attributes {arg_names = [#ein.state<"f.k">], result_names = [#ein.state<"f.k">], arg_batch = array<i64: 0>, result_batch = array<i64: -1>, batch = 3 : i64} {
  ein.return %x : tensor<3xf32>
}
