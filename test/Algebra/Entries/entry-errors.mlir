// RUN: plc-opt %s --ein-entry --split-input-file --verify-diagnostics

// expected-error@+1 {{model 'm' has no scalar output 'loss' to train}}
ein.model @m(%x: tensor<2xf32>) -> tensor<2xf32> attributes {arg_names = ["x"], arg_batch = array<i64: -1>,
    result_names = ["y"], result_batch = array<i64: -1>} {
  ein.return %x : tensor<2xf32>
}

// -----

// expected-error@+1 {{output 'loss' of model 'm' has shape [2] but 'train' needs a scalar}}
ein.model @m(%x: tensor<2xf32>) -> tensor<2xf32> attributes {arg_names = ["x"], arg_batch = array<i64: -1>,
    result_names = ["loss"], result_batch = array<i64: -1>} {
  ein.return %x : tensor<2xf32>
}

// -----

// expected-note@+1 {{the first is here}}
ein.model @m() -> () attributes {arg_names = [], arg_batch = array<i64>, result_names = [], result_batch = array<i64>} {
  ein.return
}
// expected-error@+1 {{module has a second 'ein.model'}}
ein.model @n() -> () attributes {arg_names = [], arg_batch = array<i64>, result_names = [], result_batch = array<i64>} {
  ein.return
}

// -----

// expected-error@+1 {{module has no 'ein.model': this pass comes before '--plan-partition'}}
module {}
