// RUN: plc-opt %s --ein-entry="entry=infer outputs=grad(x)" --split-input-file --verify-diagnostics

// expected-error@+1 {{model 'm' has no output 'loss', whose gradient 'grad(x)' would be}}
ein.model @m(%x: tensor<2xf32>) -> tensor<2xf32> attributes {arg_names = ["x"], arg_batch = array<i64: -1>,
    result_names = ["y"], result_batch = array<i64: -1>} {
  ein.return %x : tensor<2xf32>
}

// -----

// expected-error@+1 {{input 'x' of model 'm' is 'i32', so it has no gradient; only a real has one}}
ein.model @m(%x: tensor<2xi32>) -> tensor<2xi32> attributes {arg_names = ["x"], arg_batch = array<i64: -1>,
    result_names = ["y"], result_batch = array<i64: -1>} {
  ein.return %x : tensor<2xi32>
}

// -----

// expected-error@+1 {{output 'loss' of model 'm' has shape [2] but 'grad(x)' needs a scalar}}
ein.model @m(%x: tensor<2xf32>) -> tensor<2xf32> attributes {arg_names = ["x"], arg_batch = array<i64: -1>,
    result_names = ["loss"], result_batch = array<i64: -1>} {
  ein.return %x : tensor<2xf32>
}

// -----

// expected-error@+1 {{output 'loss' of model 'm' is 'i32' but 'grad(x)' needs a real}}
ein.model @m(%x: tensor<f32>, %n: tensor<i32>) -> tensor<i32> attributes {arg_names = ["x", "n"],
    arg_batch = array<i64: -1, -1>, result_names = ["loss"], result_batch = array<i64: -1>} {
  ein.return %n : tensor<i32>
}

// -----

// expected-error@+1 {{model 'm' has no input or parameter 'x'; its inputs are 'y', 'z'}}
ein.model @m(%y: tensor<f32>, %z: tensor<f32>) -> tensor<f32> attributes {arg_names = ["y", "z"],
    arg_batch = array<i64: -1, -1>, result_names = ["loss"], result_batch = array<i64: -1>} {
  ein.return %y : tensor<f32>
}

// -----

ein.param @w : tensor<2xf32> init normal(0.02, 0.0)
// expected-error@+1 {{model 'm' has no input or parameter 'x'; its inputs are none, parameters such as 'w'}}
ein.model @m() -> () attributes {arg_names = [], arg_batch = array<i64>, result_names = [], result_batch = array<i64>} {
  ein.return
}
