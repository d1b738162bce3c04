// RUN: plc-opt %s | plc-opt | FileCheck %s

// A stage that prepares a table once, which F reads from its place.

#id = affine_map<(i) -> (i)>
plan.kernel @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>, ns = 10 : i64} {
  %y = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %y : tensor<4xf32>
}
ein.param @w : tensor<4xf32> init constant(0.0, 0.0)

plan.program @p attributes {arg_names = [], arg_types = [], arg_batch = array<i64>,
                            result_names = ["y"], result_types = [tensor<4xf32>], result_batch = array<i64: -1>,
                            batch = 0 : i64, micro_batches = 1 : i64} {
  plan.stage @s0 rank 0 {
    %w = plan.param @w owned : tensor<4xf32>
    // CHECK: %[[T:.*]] = plan.task P : tensor<4xf32> {
    %t = plan.task P : tensor<4xf32> {
      %e = plan.call @f(%w) path "table" : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield %e : tensor<4xf32>
    }
    // CHECK: plan.task F
    %y = plan.task F : tensor<4xf32> {
      // CHECK-NEXT: plan.call @f(%[[T]])
      %a = plan.call @f(%t) path "layer" : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield %a : tensor<4xf32>
    }
    plan.output "y", %y : tensor<4xf32>
    plan.yield
  }
  plan.rank 0 {
    plan.layout persistent 192 arena 192 bound 192 {
      plan.buffer parameter "w" at 0 bytes 16 owned
      plan.buffer output "y" at 64 bytes 16
      // CHECK: plan.buffer precomputed "s0.0" at 128 bytes 16
      plan.buffer precomputed "s0.0" at 128 bytes 16
    }
    // CHECK: plan.run @s0 P mb -1 at []
    plan.run @s0 P mb -1 at []
    // CHECK: plan.run @s0 F mb 0 at [64]
    plan.run @s0 F mb 0 at [64]
  }
}
