// RUN: plc-opt %s --split-input-file --verify-diagnostics

#id = affine_map<(i) -> (i)>
plan.kernel @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  %y = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %y : tensor<4xf32>
}
plan.program @call_c2 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    %w = plan.param @w : tensor<4xf32>
    plan.task F {
      // expected-error@+1 {{computes something again but stands in no task B or W}}
      %y = plan.call @f(%w) recompute <0, 0> : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield
    }
    plan.yield
  }
}

// -----

#id = affine_map<(i) -> (i)>
plan.kernel @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  %y = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %y : tensor<4xf32>
}
ein.param @w : tensor<4xf32> init constant(0.0, 0.0)
plan.program @call_c3 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    %w = plan.param @w : tensor<4xf32>
    plan.task B {
      // expected-error@+1 {{discards results but stands in no task F}}
      %y = plan.call @f(%w) discard [0] : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield
    }
    plan.yield
  }
}

// -----

#id = affine_map<(i) -> (i)>
plan.kernel @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  %y = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %y : tensor<4xf32>
}
ein.param @w : tensor<4xf32> init constant(0.0, 0.0)
plan.program @call_c3 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    %w = plan.param @w : tensor<4xf32>
    plan.task F {
      // expected-error@+1 {{discards result #1 but has 1 results, each discarded once and in order}}
      %y = plan.call @f(%w) discard [1] : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield
    }
    plan.yield
  }
}

// -----

#id = affine_map<(i) -> (i)>
plan.kernel @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  %y = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %y : tensor<4xf32>
}
ein.param @w : tensor<4xf32> init constant(0.0, 0.0)
plan.program @call_c3 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    %w = plan.param @w : tensor<4xf32>
    plan.task F {
      // expected-error@+1 {{discards result #0 but has 1 results, each discarded once and in order}}
      %y = plan.call @f(%w) discard [0, 0] : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield
    }
    plan.yield
  }
}

// -----

#id = affine_map<(i) -> (i)>
plan.kernel @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  %y = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %y : tensor<4xf32>
}
ein.param @w : tensor<4xf32> init constant(0.0, 0.0)
plan.program @program_c5 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    %w = plan.param @w : tensor<4xf32>
    plan.task B {
      // expected-note@+1 {{the earlier one}}
      %y = plan.call @f(%w) recompute <0, 3> : (tensor<4xf32>) -> tensor<4xf32>
      // expected-error@+1 {{is clone 3, as an earlier one is}}
      %z = plan.call @f(%w) recompute <0, 3> : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield
    }
    plan.yield
  }
}

// -----

plan.program @layer_c1 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.layer "a" of 0 kind "a"
  // expected-error@+1 {{lists 'a', which is listed already}}
  plan.layer "a" of 0 kind "a"
}

// -----

plan.program @layer_c1 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  // expected-error@+1 {{is of layer 1 where 0 is expected}}
  plan.layer "a" of 1 kind "a"
}

// -----

plan.program @layer_c1 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.layer "a" of 0 kind "a"
  // expected-error@+1 {{is of layer 2 where 0 or 1 is expected}}
  plan.layer "b" of 2 kind "a"
}

// -----

plan.program @checkpoint_c1 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    %w = plan.param @w : tensor<4xf32>
    // expected-error@+1 {{keeps a value that is no result of the stage's F}}
    plan.checkpoint %w : tensor<4xf32>
    plan.yield
  }
}

// -----

#id = affine_map<(i) -> (i)>
plan.kernel @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  %y = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %y : tensor<4xf32>
}
plan.program @stage_c4 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    %w = plan.param @w : tensor<4xf32>
    %a, %b = plan.task F : tensor<4xf32>, tensor<4xf32> {
      %y = plan.call @f(%w) : (tensor<4xf32>) -> tensor<4xf32>
      %z = plan.call @f(%y) : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield %y, %z : tensor<4xf32>, tensor<4xf32>
    }
    plan.checkpoint %a : tensor<4xf32>
    plan.task B {
      // expected-error@+1 {{uses result #1 of F, which no 'plan.checkpoint' keeps}}
      %y = plan.call @f(%b) : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield
    }
    plan.yield
  }
}

// -----

#id = affine_map<(i) -> (i)>
plan.kernel @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  %y = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %y : tensor<4xf32>
}
ein.param @w : tensor<4xf32> init constant(0.0, 0.0)
plan.program @call_c4 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    %w = plan.param @w : tensor<4xf32>
    plan.task F {
      // expected-error@+1 {{has calls run again before it but is no call of B or W, or a clone}}
      %y = plan.call @f(%w) again [0] : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield
    }
    plan.yield
  }
}
