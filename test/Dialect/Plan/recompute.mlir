// RUN: plc-opt %s | plc-opt --cse | FileCheck %s

// Two clones of one call: CSE merges neither with the other nor with the original.

#id = affine_map<(i) -> (i)>
plan.kernel @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  %y = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %y : tensor<4xf32>
}
plan.kernel @g(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>} {
  %z = ein.map mul(%x, %y) over [4] maps [#id, #id, #id] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  plan.yield %z : tensor<4xf32>
}

plan.program @p attributes {arg_names = ["x"], arg_types = [tensor<4xf32>], arg_batch = array<i64: -1>,
                            result_names = [], result_types = [], result_batch = array<i64>,
                            batch = 0 : i64, micro_batches = 2 : i64} {
  // CHECK: plan.layer "f.0" of 0 kind "f"
  plan.layer "f.0" of 0 kind "f"
  // CHECK: plan.layer "p.equations" of 0{{$}}
  plan.layer "p.equations" of 0
  // CHECK: plan.layer "f.1" of 1 kind "f"
  plan.layer "f.1" of 1 kind "f"
  plan.stage @s0 rank 0 {
    %x = plan.input "x" : tensor<4xf32>
    %a = plan.task F : tensor<4xf32> {
      %y = plan.call @f(%x) path "f.0" : (tensor<4xf32>) -> tensor<4xf32>
      %z = plan.call @f(%y) path "f.1" : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield %z : tensor<4xf32>
    }
    // CHECK: plan.checkpoint %{{.*}} : tensor<4xf32>
    plan.checkpoint %a : tensor<4xf32>
    plan.task B {
      // CHECK: %[[Y0:.*]] = plan.call @f(%{{.*}}) path "f.0" recompute <0, 0>
      %y = plan.call @f(%x) path "f.0" recompute <0, 0> : (tensor<4xf32>) -> tensor<4xf32>
      // CHECK: %[[Y1:.*]] = plan.call @f(%{{.*}}) path "f.0" recompute <0, 1>
      %z = plan.call @f(%x) path "f.0" recompute <0, 1> : (tensor<4xf32>) -> tensor<4xf32>
      // CHECK: plan.call @g(%[[Y0]], %[[Y1]])
      %g = plan.call @g(%y, %z) path "f.0" : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %h = plan.call @g(%g, %a) path "f.0" : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      plan.yield
    }
    plan.yield
  }
  plan.rank 0 {
    // CHECK: plan.run @s0 {{ *}}F mb 0{{$}}
    plan.run @s0 F mb 0
    // CHECK: plan.run @s0 {{ *}}B mb 0 keep{{$}}
    plan.run @s0 B mb 0 keep
    // CHECK: plan.run @s0 {{ *}}B mb 1 keep at [0, 64]
    plan.run @s0 B mb 1 keep at [0, 64]
  }
}
