// RUN: plc-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{name has an empty path}}
ein.model @state_c1(%x: tensor<3xf32>) -> tensor<3xf32> attributes {arg_names = [#ein.state<"">], result_names = ["y"], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  ein.return %x : tensor<3xf32>
}

// -----

// expected-error@+1 {{unit is no input of a caller}}
ein.model @whole_c1(%x: tensor<3xf32>) -> tensor<3xf32> attributes {arg_names = [#ein.whole<unit>], result_names = ["y"], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  ein.return %x : tensor<3xf32>
}

// -----

// expected-error@+1 {{#ein.state<"f.k"> is no input of a caller}}
ein.model @whole_c1(%x: tensor<3xf32>) -> tensor<3xf32> attributes {arg_names = [#ein.whole<#ein.state<"f.k">>], result_names = ["y"], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  ein.return %x : tensor<3xf32>
}

// -----

// expected-error@+1 {{name has an empty path}}
ein.model @random_c1(%x: tensor<3xf32>) -> tensor<3xf32> attributes {arg_names = [#ein.random<"" per run>], result_names = ["y"], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  ein.return %x : tensor<3xf32>
}

// -----

// expected-error@+1 {{name has an empty source}}
ein.model @grad_c1(%x: tensor<3xf32>) -> tensor<3xf32> attributes {arg_names = [#ein.grad<"">], result_names = ["y"], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  ein.return %x : tensor<3xf32>
}

// -----

// expected-error@+1 {{shard has axis -1 and number 0 of 2, but axes count from 0 and shards from 0 to 1}}
ein.model @part_c1(%x: tensor<3xf32>) -> tensor<3xf32> attributes {arg_names = [#ein.shard<"w" axis -1, 0 of 2>], result_names = ["y"], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  ein.return %x : tensor<3xf32>
}

// -----

// expected-error@+1 {{shard has axis 0 and number 2 of 2, but axes count from 0 and shards from 0 to 1}}
ein.model @part_c1(%x: tensor<3xf32>) -> tensor<3xf32> attributes {arg_names = [#ein.shard<"w" axis 0, 2 of 2>], result_names = ["y"], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  ein.return %x : tensor<3xf32>
}

// -----

// expected-error@+1 {{name has an empty whole}}
ein.model @part_c1(%x: tensor<3xf32>) -> tensor<3xf32> attributes {arg_names = [#ein.shard<"" axis 0, 0 of 2>], result_names = ["y"], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  ein.return %x : tensor<3xf32>
}

// -----

// expected-error@+1 {{argument 'grad(x)' has a parenthesis, but is plain; names of another kind are attributes}}
ein.model @model_c2(%x: tensor<3xf32>) -> tensor<3xf32> attributes {arg_names = ["grad(x)"], result_names = ["y"], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  ein.return %x : tensor<3xf32>
}

// -----

// expected-error@+1 {{attribute 'arg_names' failed to satisfy constraint: names}}
ein.model @names(%x: tensor<3xf32>) -> tensor<3xf32> attributes {arg_names = [#ein.shard<"w" axis 0, 0 of 2>], result_names = ["y"], arg_batch = array<i64: -1>, result_batch = array<i64: -1>} {
  ein.return %x : tensor<3xf32>
}

// -----

// expected-error@+1 {{has symbol 'w' but is 'part(w, axis 0, 0 of 2)'}}
ein.param @w : tensor<4xf32> init constant(1.0, 0.0) shard <"w" axis 0, 0 of 2> // param_c3

// -----

// expected-error@+1 {{is a shard along axis 1 but has 1 axes}}
ein.param @"part(w, axis 1, 0 of 2)" : tensor<4xf32> init constant(1.0, 0.0) shard <"w" axis 1, 0 of 2> // param_c3

// -----

// expected-error@+1 {{is a slice but has no 'shard'}}
ein.param @w : tensor<4xf32> init constant(1.0, 0.0) slice // param_c3

// -----

// expected-error@+1 {{is a shard along axis 2 but has 2 axes}}
ein.param @"part(w, axis 2, 0 of 2)" : tensor<4xf32> init constant(1.0, 0.0) shard <"w" axis 2, 0 of 2> slice // param_c3

// -----

// expected-error@+1 {{has symbol 'k' but is 'part(k, axis 0, 0 of 2)'}}
ein.state @k init 0.0 shard <"k" axis 0, 0 of 2> // state_c2
