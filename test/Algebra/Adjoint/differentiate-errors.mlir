// RUN: plc-opt %s --ein-differentiate --split-input-file --verify-diagnostics

// expected-error@+1 {{model 'm' has no scalar output 'loss' to train}}
ein.model @m(%x: tensor<f32>) -> tensor<f32> attributes {arg_names = ["x"], arg_batch = array<i64: -1>,
    result_names = ["y"], result_batch = array<i64: -1>} {
  ein.return %x : tensor<f32>
}

// -----

// expected-error@+1 {{output 'loss' of model 'm' is 'tensor<2xf32>' but a real scalar is needed}}
ein.model @m(%x: tensor<2xf32>) -> tensor<2xf32> attributes {arg_names = ["x"], arg_batch = array<i64: -1>,
    result_names = ["loss"], result_batch = array<i64: -1>} {
  ein.return %x : tensor<2xf32>
}

// -----

// expected-error@+1 {{output 'loss' of model 'm' depends on no trained parameter}}
ein.model @m(%x: tensor<f32>) -> tensor<f32> attributes {arg_names = ["x"], arg_batch = array<i64: -1>,
    result_names = ["loss"], result_batch = array<i64: -1>} {
  ein.return %x : tensor<f32>
}

// -----

ein.param @w : tensor<f32> init normal(0.02, 0.0) frozen
ein.func @id(%w: tensor<f32>) -> tensor<f32> attributes {num_params = 1 : i64} {
  ein.return %w : tensor<f32>
}
// expected-error@+1 {{output 'loss' of model 'm' depends on no trained parameter}}
ein.model @m() -> tensor<f32> attributes {arg_names = [], arg_batch = array<i64>, result_names = ["loss"],
    result_batch = array<i64: -1>} {
  %0 = ein.call @id() params [@w] path "id" : () -> tensor<f32>
  ein.return %0 : tensor<f32>
}

// -----

ein.model @m() -> tensor<f32> attributes {arg_names = [], arg_batch = array<i64>, result_names = ["loss"],
    result_batch = array<i64: -1>} {
  // expected-error@+1 {{model 'm' has equations outside bodies: run '--ein-simplify' first}}
  %0 = ein.constant 1.0 : tensor<f32>
  ein.return %0 : tensor<f32>
}

// -----

ein.param @w : tensor<5000x5000xf32> init normal(0.02, 0.0)
ein.func @largest(%w: tensor<5000x5000xf32>) -> tensor<f32> attributes {num_params = 1 : i64} {
  // expected-error@+1 {{gradient of a maximum or minimum over more than 16777216 elements of 'f32'; write it over parts, 'max[i](max[j](x[K*i + j]))', or compute in f64}}
  %0 = ein.reduce max(%w) over [5000, 5000] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>]
    : (tensor<5000x5000xf32>) -> tensor<f32>
  ein.return %0 : tensor<f32>
}
ein.model @m() -> tensor<f32> attributes {arg_names = [], arg_batch = array<i64>, result_names = ["loss"],
    result_batch = array<i64: -1>} {
  %0 = ein.call @largest() params [@w] path "largest" : () -> tensor<f32>
  ein.return %0 : tensor<f32>
}

// -----

// Positions in f64 are counted further.
ein.param @w : tensor<5000x5000xf64> init normal(0.02, 0.0)
ein.func @largest(%w: tensor<5000x5000xf64>) -> tensor<f64> attributes {num_params = 1 : i64} {
  %0 = ein.reduce max(%w) over [5000, 5000] maps [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>]
    : (tensor<5000x5000xf64>) -> tensor<f64>
  ein.return %0 : tensor<f64>
}
ein.model @m() -> tensor<f64> attributes {arg_names = [], arg_batch = array<i64>, result_names = ["loss"],
    result_batch = array<i64: -1>} {
  %0 = ein.call @largest() params [@w] path "largest" : () -> tensor<f64>
  ein.return %0 : tensor<f64>
}

// -----

ein.param @w : tensor<f32> init normal(0.02, 0.0)
ein.func @id.F(%w: tensor<f32>) -> tensor<f32> attributes {num_params = 1 : i64, role = "F"} {
  ein.return %w : tensor<f32>
}
ein.model @m() -> tensor<f32> attributes {arg_names = [], arg_batch = array<i64>, result_names = ["loss"],
    result_batch = array<i64: -1>} {
  // expected-error@+1 {{model 'm' is differentiated already: body 'id.F' has role 'F'}}
  %0 = ein.call @id.F() params [@w] path "id" : () -> tensor<f32>
  ein.return %0 : tensor<f32>
}
