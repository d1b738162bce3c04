// RUN: plc-opt %s --plan-insert-comm --split-input-file --verify-diagnostics

plan.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>, ns = 10 : i64} {
  plan.yield %x : tensor<4xf32>
}
plan.program @unused attributes {arg_names = ["x"], arg_types = [tensor<4xf32>], arg_batch = array<i64: 0>,
    result_names = [], result_types = [], result_batch = array<i64>, batch = 4 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    %x = plan.input "x" : tensor<4xf32>
    %y = plan.task F : tensor<4xf32> {
      %0 = plan.call @k(%x) path "a" : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield %0 : tensor<4xf32>
    }
    plan.stash @r, %y : tensor<4xf32>
    plan.yield
  }
  plan.stage @s1 rank 1 {
    %p = plan.pop @r : tensor<4xf32>
    plan.yield
  }
  // expected-error@+1 {{route 'r' has no task at its destination}}
  plan.route @r from @s0 to @s1 per micro_batch carries "a.F" : tensor<4xf32>
  plan.rank 0 {
    plan.run @s0 F mb 0
  }
  plan.rank 1 {
  }
}

// -----

// What is stashed must come out of a task: an input has no place to be sent from.
plan.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>, ns = 10 : i64} {
  plan.yield %x : tensor<4xf32>
}
plan.program @unmade attributes {arg_names = ["x"], arg_types = [tensor<4xf32>], arg_batch = array<i64: 0>,
    result_names = [], result_types = [], result_batch = array<i64>, batch = 4 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    %x = plan.input "x" : tensor<4xf32>
    plan.stash @r, %x : tensor<4xf32>
    plan.yield
  }
  plan.stage @s1 rank 1 {
    %p = plan.pop @r : tensor<4xf32>
    plan.task F {
      %0 = plan.call @k(%p) path "a" : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield
    }
    plan.yield
  }
  // expected-error@+1 {{route 'r' has no task at its source}}
  plan.route @r from @s0 to @s1 per micro_batch carries "x" : tensor<4xf32>
  plan.rank 0 {
  }
  plan.rank 1 {
    plan.run @s1 F mb 0
  }
}
