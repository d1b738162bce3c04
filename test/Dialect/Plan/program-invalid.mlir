// RUN: plc-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{has 1 input names but 0 types and 0 batch axes}}
plan.program @program_c1 attributes {arg_names = ["x"], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {}

// -----

// expected-error@+1 {{input 'x' is named twice}}
plan.program @program_c1 attributes {arg_names = ["x", "x"], arg_types = [tensor<f32>, tensor<f32>], arg_batch = array<i64: -1, -1>,
    result_names = [], result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {}

// -----

// expected-error@+1 {{input 'x' has batch axis 2 but needs an axis of 'tensor<2x3xf32>' or -1}}
plan.program @program_c1 attributes {arg_names = ["x"], arg_types = [tensor<2x3xf32>], arg_batch = array<i64: 2>,
    result_names = [], result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {}

// -----

// expected-error@+1 {{input 'x' has batch axis 0 but needs an axis of 'tensor<f32>' or -1}}
plan.program @program_c1 attributes {arg_names = ["x"], arg_types = [tensor<f32>], arg_batch = array<i64: 0>,
    result_names = [], result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {}

// -----

// expected-error@+1 {{input 'x' is 'tensor<4x!ein.real>' but needs to be a tensor of 1 to 2^48 elements f16, bf16, f32, f64, i8, ui8, i32, i64 or i1}}
plan.program @program_c1 attributes {arg_names = ["x"], arg_types = [tensor<4x!ein.real>], arg_batch = array<i64: 0>,
    result_names = [], result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {}

// -----

// expected-error@+1 {{has 4 micro-batches of a batch of 3 samples}}
plan.program @program_c2 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 3 : i64, micro_batches = 4 : i64} {}

// -----

// expected-error@+1 {{input 'x' is 'tensor<2x2xf32>' but needs to be 'tensor<2x2xf32, #ein.batch<0>>', as 3 samples are cut in 2 micro-batches}}
plan.program @program_c2 attributes {arg_names = ["x"], arg_types = [tensor<2x2xf32>], arg_batch = array<i64: 0>,
    result_names = [], result_types = [], result_batch = array<i64>, batch = 3 : i64, micro_batches = 2 : i64} {}

// -----

// expected-error@+1 {{output 'y' is 'tensor<2x2xf32, #ein.batch<0>>' but needs to be 'tensor<2x2xf32>', as 4 samples are cut in 2 micro-batches}}
plan.program @program_c2 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = ["y"],
    result_types = [tensor<2x2xf32, #ein.batch<0>>], result_batch = array<i64: 0>, batch = 4 : i64, micro_batches = 2 : i64} {}

// -----

// expected-error@+1 {{has no stage on rank 0 of 2}}
plan.program @program_c3 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 1 {
    plan.yield
  }
  plan.stage @s1 rank 1 {
    plan.yield
  }
}

// -----

plan.program @program_c3_beyond attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  // expected-error@+1 {{has rank 9223372036854775807 but ranks of 1 stages end at 0}}
  plan.stage @s0 rank 9223372036854775807 {
    plan.yield
  }
}

// -----

// expected-error@+1 {{has cut bound 3 above its answer 2}}
plan.program @program_c4 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64, cut_ns = 2 : i64,
    cut_bound_ns = 3 : i64} {}

// -----

// expected-error@+1 {{has kept bound 9 above its answer 8}}
plan.program @program_c4 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64, kept_bytes = 8 : i64,
    kept_bound_bytes = 9 : i64} {}

// -----

// expected-error@+1 {{has recompute bound 6 above its answer 5}}
plan.program @program_c4 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64, recompute_ns = 5 : i64,
    recompute_bound_ns = 6 : i64} {}

// -----

// expected-error@+1 {{attribute 'moments' failed to satisfy constraint: a count whose value is non-negative}}
plan.program @program_moments attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64, moments = -1 : i64} {}

// -----

plan.program @stage attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    plan.task B {
      plan.yield
    }
    // expected-error@+1 {{'F' follows task 'B' but the order is P, F, B, W, once each}}
    plan.task F {
      plan.yield
    }
    plan.yield
  }
}

// -----

plan.program @ports attributes {arg_names = ["x"], arg_types = [tensor<4xf32>], arg_batch = array<i64: -1>,
    result_names = [], result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    // expected-error@+1 {{names 'y', which is no input of the program}}
    %y = plan.input "y" : tensor<4xf32>
    plan.yield
  }
}

// -----

plan.program @ports attributes {arg_names = ["x"], arg_types = [tensor<4xf32>], arg_batch = array<i64: -1>,
    result_names = [], result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    // expected-error@+1 {{names 'state(x)', which is no input of the program}}
    %y = plan.input state<"x"> : tensor<4xf32>
    plan.yield
  }
}

// -----

plan.program @ports attributes {arg_names = ["x"], arg_types = [tensor<4xf32>], arg_batch = array<i64: -1>,
    result_names = [], result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    // expected-error@+1 {{found 'x', expected a string or a name such as 'state<"..">'}}
    %y = plan.input x : tensor<4xf32>
    plan.yield
  }
}

// -----

plan.program @ports attributes {arg_names = ["x"], arg_types = [tensor<4xf32>], arg_batch = array<i64: -1>,
    result_names = [], result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    // expected-error@+1 {{failed to satisfy constraint: a string, or an #ein attribute that is a name}}
    %y = plan.input batch<0> : tensor<4xf32>
    plan.yield
  }
}

// -----

// expected-error@+1 {{input 'state(x)' has a parenthesis, but is plain; names of another kind are attributes}}
plan.program @ports attributes {arg_names = ["state(x)"], arg_types = [tensor<4xf32>], arg_batch = array<i64: -1>,
    result_names = [], result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    plan.yield
  }
}

// -----

plan.program @ports attributes {arg_names = ["x"], arg_types = [tensor<4xf32>], arg_batch = array<i64: -1>,
    result_names = [], result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    // expected-error@+1 {{has type 'tensor<5xf32>' but the program's input 'x' has 'tensor<4xf32>'}}
    %x = plan.input "x" : tensor<5xf32>
    plan.yield
  }
}

// -----

plan.program @route_c1 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  // expected-note@+1 {{stage declared here}}
  plan.stage @s0 rank 0 {
    plan.yield
  }
  // expected-error@+1 {{starts and ends in stage 's0'}}
  plan.route @r from @s0 to @s0 per micro_batch carries "x" : tensor<4xf32>
}

// -----

plan.program @route_c1 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    plan.yield
  }
  // expected-error@+1 {{joins 's0' and 's9', which are not both stages}}
  plan.route @r from @s0 to @s9 per micro_batch carries "x" : tensor<4xf32>
}

// -----

ein.param @w : tensor<4xf32> init constant(0.0, 0.0)
plan.program @pop_c2 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    %w = plan.param @w : tensor<4xf32>
    plan.stash @r, %w : tensor<4xf32>
    plan.yield
  }
  plan.stage @s1 rank 1 {
    // expected-error@+1 {{of a route per step lands in no persistent buffer}}
    %w = plan.pop @r : tensor<4xf32>
    plan.yield
  }
  // expected-note@+1 {{route declared here}}
  plan.route @r from @s0 to @s1 per step carries "w" : tensor<4xf32>
}

// -----

plan.program @ends attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    // expected-error@+1 {{names 'r', which is no route}}
    %w = plan.pop @r : tensor<4xf32>
    plan.yield
  }
}

// -----

plan.program @layout_c2 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    plan.yield
  }
  plan.rank 0 {
    // expected-error@+1 {{has 64 persistent bytes, bound 32 and arena 128, which do not ascend}}
    plan.layout persistent 64 arena 128 bound 32 {}
  }
}

// -----

plan.program @static_c1 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    plan.yield
  }
  plan.rank 0 {
    plan.layout persistent 64 arena 64 bound 64 {
      // expected-error@+1 {{'gradient' has no site}}
      plan.buffer gradient "w" at 0 bytes 64
    }
  }
}

// -----

// Two stages of one rank that hand a value to each other in a circle.
plan.program @program_c6 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    // expected-error@+1 {{has a value that nothing makes: it comes back to itself}}
    %p = plan.pop @r0 : tensor<4xf32>
    plan.stash @r1, %p : tensor<4xf32>
    plan.yield
  }
  plan.stage @s1 rank 0 {
    %p = plan.pop @r1 : tensor<4xf32>
    plan.stash @r0, %p : tensor<4xf32>
    plan.yield
  }
  plan.route @r0 from @s1 to @s0 per micro_batch carries "x" : tensor<4xf32>
  plan.route @r1 from @s0 to @s1 per micro_batch carries "x" : tensor<4xf32>
}

// -----

plan.program @program_c6_results attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  // expected-error@+1 {{has a value that nothing makes: it comes back to itself}}
  %0 = plan.stage @s0 rank 0 : tensor<4xf32> {
    plan.yield %1 : tensor<4xf32>
  }
  %1 = plan.stage @s1 rank 0 : tensor<4xf32> {
    plan.yield %0 : tensor<4xf32>
  }
}

// -----

plan.program @stage_arguments attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  // expected-error@+1 {{region should have no arguments}}
  plan.stage @s0 rank 0 {
  ^bb0(%x: tensor<4xf32>):
    plan.yield
  }
}

// -----

plan.program @param_type attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    // expected-error@+1 {{result #0 must be tensor of 1 to 2^48 elements f16, bf16, f32, f64, i8, ui8, i32, i64 or i1, but got 'tensor<16777216x16777216x2xf32>'}}
    %w = plan.param @w : tensor<16777216x16777216x2xf32>
    plan.yield
  }
}

// -----

ein.param @w : tensor<4xf32> init constant(0.0, 0.0)
plan.program @stage_c3_results attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  // expected-error@+1 {{has results but the program has routes}}
  %0 = plan.stage @s0 rank 0 : tensor<4xf32> {
    %w = plan.param @w : tensor<4xf32>
    plan.stash @r, %w : tensor<4xf32>
    plan.yield %w : tensor<4xf32>
  }
  plan.stage @s1 rank 0 {
    %p = plan.pop @r : tensor<4xf32>
    plan.yield
  }
  plan.route @r from @s0 to @s1 per micro_batch carries "w" : tensor<4xf32>
}

// -----

plan.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  plan.yield %x : tensor<4xf32>
}
ein.param @w : tensor<4xf32> init constant(0.0, 0.0)
plan.program @stage_c3_uses attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  // The use is told before the result.
  plan.stage @s1 rank 0 {
    %p = plan.pop @r : tensor<4xf32>
    plan.task F {
      // expected-error@+1 {{uses a value of another stage but the program has routes}}
      %y = plan.call @k(%0) : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield
    }
    plan.yield
  }
  %0 = plan.stage @s0 rank 0 : tensor<4xf32> {
    %w = plan.param @w : tensor<4xf32>
    plan.stash @r, %w : tensor<4xf32>
    plan.yield %w : tensor<4xf32>
  }
  plan.route @r from @s0 to @s1 per micro_batch carries "w" : tensor<4xf32>
}

// -----

plan.program @stage_c1_type attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 : tensor<5xf32> {
    %w = plan.param @w : tensor<4xf32>
    // expected-error@+1 {{yields 'tensor<4xf32>' but its parent has results 'tensor<5xf32>'}}
    plan.yield %w : tensor<4xf32>
  }
}

// -----

plan.program @site_index attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    // expected-error@+1 {{attribute 'index' failed to satisfy constraint: a count whose value is non-negative}}
    %w = plan.site @w -1 : tensor<4xf32>
    plan.yield
  }
}

// -----

ein.param @w : tensor<4xf32> init constant(0.0, 0.0)
plan.program @program_c6_own attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = ["y"],
    result_types = [tensor<4xf32>], result_batch = array<i64: -1>, batch = 0 : i64, micro_batches = 1 : i64} {
  // expected-note@+1 {{stage declared here}}
  %0 = plan.stage @s0 rank 0 : tensor<4xf32> {
    %w = plan.param @w : tensor<4xf32>
    // expected-error@+1 {{uses a result of the stage that it stands in}}
    plan.output "y", %0 : tensor<4xf32>
    plan.yield %w : tensor<4xf32>
  }
}

// -----

plan.program @param_c1 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    // expected-error@+1 {{names 'w', which is no 'ein.param'}}
    %w = plan.param @w : tensor<4xf32>
    plan.yield
  }
}

// -----

// expected-note@+1 {{parameter declared here}}
ein.param @w : tensor<4xf32> init constant(0.0, 0.0)
plan.program @site_c1 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    // expected-error@+1 {{has type 'tensor<5xf32>' but 'w' has 'tensor<4xf32>'}}
    %g = plan.site @w 0 : tensor<5xf32>
    plan.yield
  }
}

// -----

plan.program @channel_c1 attributes {arg_names = ["x"], arg_types = [tensor<4xf32>], arg_batch = array<i64: -1>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    %x = plan.input "x" : tensor<4xf32>
    plan.stash @r, %x : tensor<4xf32>
    plan.yield
  }
  plan.stage @s1 rank 1 {
    %x = plan.pop @r : tensor<4xf32>
    plan.yield
  }
  // expected-note@+1 {{route declared here}}
  plan.route @r from @s0 to @s1 per micro_batch carries "x" : tensor<4xf32>
  // expected-error@+1 {{joins ranks 1 and 0 but its route joins ranks 0 and 1}}
  plan.channel @c carries @r from 1 to 0 slots 1 tag 0
}

// -----

plan.program @run_c1 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  // expected-note@+1 {{stage declared here}}
  plan.stage @s0 rank 0 {
    plan.yield
  }
  plan.rank 0 {
    // expected-error@+1 {{names task W of 's0', which does not exist}}
    plan.run @s0 W mb 0
  }
}

// -----

plan.program @program_c7 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    plan.yield
  }
  plan.stage @s1 rank 1 {
    plan.yield
  }
  // expected-error@+1 {{has 0 stashes in 's0' and 0 pops in 's1' but needs one of each}}
  plan.route @r from @s0 to @s1 per micro_batch carries "x" : tensor<4xf32>
}

// -----

plan.program @run_micro_batch attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    plan.task F {
      plan.yield
    }
    plan.yield
  }
  plan.rank 0 {
    // expected-error@+1 {{attribute 'mb' failed to satisfy constraint: a count whose minimum value is -1}}
    plan.run @s0 F mb -2
  }
}

// -----

plan.kernel @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  plan.yield %x : tensor<4xf32>
}
ein.param @w : tensor<4xf32> init constant(0.0, 0.0)
plan.program @prepare attributes {arg_names = ["x"], arg_types = [tensor<4xf32>], arg_batch = array<i64: -1>,
    result_names = ["y"], result_types = [tensor<4xf32>], result_batch = array<i64: -1>, batch = 0 : i64,
    micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    %x = plan.input "x" : tensor<4xf32>
    %t = plan.task P : tensor<4xf32> {
      // expected-error@+1 {{'plan.call' op of P has operand #0, which is no parameter and none of P's values}}
      %a = plan.call @f(%x) path "a" : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield %a : tensor<4xf32>
    }
    plan.yield
  }
}

// -----

plan.kernel @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  plan.yield %x : tensor<4xf32>
}
ein.param @w : tensor<4xf32> init constant(0.0, 0.0)
plan.program @prepare attributes {arg_names = ["x"], arg_types = [tensor<4xf32>], arg_batch = array<i64: -1>,
    result_names = ["y"], result_types = [tensor<4xf32>], result_batch = array<i64: -1>, batch = 0 : i64,
    micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    %w = plan.param @w owned : tensor<4xf32>
    // expected-error@+1 {{'plan.task' op P has result #0, which is not one value of one of its calls}}
    %t = plan.task P : tensor<4xf32> {
      plan.yield %w : tensor<4xf32>
    }
    plan.yield
  }
}

// -----

plan.kernel @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  plan.yield %x : tensor<4xf32>
}
ein.param @w : tensor<4xf32> init constant(0.0, 0.0)
plan.program @prepare attributes {arg_names = ["x"], arg_types = [tensor<4xf32>], arg_batch = array<i64: -1>,
    result_names = ["y"], result_types = [tensor<4xf32>], result_batch = array<i64: -1>, batch = 0 : i64,
    micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    %w = plan.param @w owned : tensor<4xf32>
    %t = plan.task P : tensor<4xf32> {
      %a = plan.call @f(%w) path "a" : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield %a : tensor<4xf32>
    }
    // expected-error@+1 {{'plan.output' op uses result #0 of P but is no call of the stage's other tasks}}
    plan.output "y", %t : tensor<4xf32>
    plan.yield
  }
}

// -----

plan.kernel @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  plan.yield %x : tensor<4xf32>
}
ein.param @w : tensor<4xf32> init constant(0.0, 0.0)
plan.program @prepare attributes {arg_names = ["x"], arg_types = [tensor<4xf32>], arg_batch = array<i64: -1>,
    result_names = ["y"], result_types = [tensor<4xf32>], result_batch = array<i64: -1>, batch = 0 : i64,
    micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    %w = plan.param @w owned : tensor<4xf32>
    plan.task P {
      %a = plan.call @f(%w) path "a" : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield
    }
    plan.yield
  }
  plan.rank 0 {
    // expected-error@+1 {{'plan.run' op runs P for micro-batch 0 but P, and it alone, is of micro-batch -1}}
    plan.run @s0 P mb 0
  }
}

// -----

// expected-error@+1 {{has 4 micro-batches in 3 accumulation groups}}
plan.program @program_c2_lanes attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 4 : i64, accumulation_groups = 3 : i64} {}

// -----

// expected-error@+1 {{has 3 replicas of 4 accumulation groups, which they do not divide}}
plan.program @program_c8 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 4 : i64, accumulation_groups = 4 : i64,
    replicas = 3 : i64} {}

// -----

plan.program @program_c8_stage attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 2 : i64, accumulation_groups = 2 : i64,
    replicas = 2 : i64} {
  plan.stage @s0 rank 0 {
    plan.yield
  }
  // expected-error@+1 {{is of replica 2 of 2}}
  plan.stage @s1 rank 1 attributes {replica = 2 : i64} {
    plan.yield
  }
}

// -----

// expected-error@+1 {{has 1 stages of replica 1 but 2 of replica 0}}
plan.program @program_c8_stages attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 2 : i64, accumulation_groups = 2 : i64,
    replicas = 2 : i64} {
  plan.stage @s0 rank 0 {
    plan.yield
  }
  plan.stage @s1 rank 1 {
    plan.yield
  }
  plan.stage @s2 rank 2 attributes {replica = 1 : i64} {
    plan.yield
  }
}

// -----

// expected-error@+1 {{has 2 shards but no pipeline}}
plan.program @program_c9_none attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64, shards = 2 : i64} {
  plan.stage @s0 rank 0 {
    plan.yield
  }
  plan.stage @s1 rank 1 {
    plan.yield
  }
}

// -----

// expected-error@+1 {{has a pipeline of 1 stages but 2 stages}}
plan.program @program_c9_size attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64, pipeline = array<i64: 0>} {
  plan.stage @s0 rank 0 {
    plan.yield
  }
  plan.stage @s1 rank 0 {
    plan.yield
  }
}

// -----

plan.program @program_c9_first attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64, pipeline = array<i64: 1>} {
  // expected-error@+1 {{is of stage 1 of the pipeline where 0 is expected}}
  plan.stage @s0 rank 0 {
    plan.yield
  }
}

// -----

plan.program @program_c9_order attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64, pipeline = array<i64: 0, 2>} {
  plan.stage @s0 rank 0 {
    plan.yield
  }
  // expected-error@+1 {{is of stage 2 of the pipeline where 0 or 1 is expected}}
  plan.stage @s1 rank 0 {
    plan.yield
  }
}

// -----

plan.program @program_c9_group attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64, shards = 2 : i64,
    pipeline = array<i64: 0, 0, 0, 1>} {
  plan.stage @s0 rank 0 {
    plan.yield
  }
  plan.stage @s1 rank 1 {
    plan.yield
  }
  // expected-error@+1 {{is of stage 0 of the pipeline on rank 2, but 's1' is on rank 1 of another group}}
  plan.stage @s2 rank 2 {
    plan.yield
  }
  plan.stage @s3 rank 3 {
    plan.yield
  }
}

// -----

// expected-error@+1 {{has 3 ranks, which 2 shards do not divide}}
plan.program @program_c9 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 1 : i64, shards = 2 : i64} {
  plan.stage @s0 rank 0 {
    plan.yield
  }
  plan.stage @s1 rank 1 {
    plan.yield
  }
  plan.stage @s2 rank 2 {
    plan.yield
  }
}

// -----

// expected-error@+1 {{has 3 ranks, which 2 replicas do not divide}}
plan.program @program_c8_ranks attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 2 : i64, accumulation_groups = 2 : i64,
    replicas = 2 : i64} {
  plan.stage @s0 rank 0 {
    plan.yield
  }
  plan.stage @s1 rank 1 {
    plan.yield
  }
  plan.stage @s0.1 rank 1 attributes {replica = 1 : i64} {
    plan.yield
  }
  plan.stage @s1.1 rank 2 attributes {replica = 1 : i64} {
    plan.yield
  }
}

// -----

plan.program @program_c8_rank attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 2 : i64, accumulation_groups = 2 : i64,
    replicas = 2 : i64} {
  plan.stage @s0 rank 0 {
    plan.yield
  }
  plan.stage @s1 rank 1 {
    plan.yield
  }
  // expected-error@+1 {{has rank 3 but needs 2, as 's0' of replica 0 has 0}}
  plan.stage @s0.1 rank 3 attributes {replica = 1 : i64} {
    plan.yield
  }
  plan.stage @s1.1 rank 2 attributes {replica = 1 : i64} {
    plan.yield
  }
}

// -----

plan.program @route_c2 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 2 : i64, accumulation_groups = 2 : i64} {
  plan.stage @s0 rank 0 {
    plan.yield
  }
  plan.stage @s1 rank 1 {
    plan.yield
  }
  // expected-error@+1 {{carries 2 groups per micro_batch}}
  plan.route @r0 from @s0 to @s1 per micro_batch carries "x" groups 2 : tensor<4xf32>
}

// -----

plan.program @route_c3 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 2 : i64, accumulation_groups = 2 : i64,
    replicas = 2 : i64} {
  plan.stage @s0 rank 0 {
    plan.yield
  }
  plan.stage @s0.1 rank 1 attributes {replica = 1 : i64} {
    plan.yield
  }
  // expected-error@+1 {{joins replicas 0 and 1 per micro_batch}}
  plan.route @r0 from @s0 to @s0.1 per micro_batch carries "x" : tensor<4xf32>
}

// -----

ein.param @w : tensor<4xf32> init constant(0.0, 0.0)
plan.program @site_c2 attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 2 : i64, accumulation_groups = 2 : i64} {
  plan.stage @s0 rank 0 {
    // expected-error@+1 {{has groups 1 to 2 of 2}}
    %g = plan.site @w 0 group 1 groups 2 : tensor<4xf32>
    plan.yield
  }
}

// -----

plan.program @static_c1_lanes attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = [],
    result_types = [], result_batch = array<i64>, batch = 0 : i64, micro_batches = 2 : i64, accumulation_groups = 2 : i64} {
  plan.stage @s0 rank 0 {
    plan.yield
  }
  plan.rank 0 {
    plan.layout persistent 64 arena 64 bound 64 {
      // expected-error@+1 {{'parameter' has accumulation groups, as only gradients have}}
      plan.buffer parameter "w" groups 2 at 0 bytes 64
    }
  }
}
