// The part that is too large is named: a value that a rank makes, or one that it receives.
// RUN: not plc-opt %s --plan-infer-skips --plan-schedule --plan-insert-comm --plan-addresses=memory-limit-bytes=4000 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MAKES
// MAKES: error: no plan fits: rank 0 needs 3.9 KiB, limit 3.9 KiB, largest part a value of 'a' 3.9 KiB: [[#]] bytes are missing
// RUN: not plc-opt %s --plan-infer-skips --plan-schedule --plan-insert-comm --plan-addresses=memory-limit-bytes=4050 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RECEIVES
// RECEIVES: error: no plan fits: rank 1 needs 4.0 KiB, limit 4.0 KiB, largest part a received value 3.9 KiB: [[#]] bytes are missing
// RUN: plc-opt %s --plan-infer-skips --plan-schedule --plan-insert-comm --plan-addresses=memory-limit-bytes=4096 --plan-verify

!big = tensor<1000xf32>
plan.kernel @ones() -> !big attributes {kind = #plan<kind elementwise>, ns = 10 : i64} {
  %one = ein.constant 1.0 : tensor<f32>
  %y = ein.map id(%one) over [1000] maps [affine_map<(i) -> ()>, affine_map<(i) -> (i)>] : (tensor<f32>) -> !big
  plan.yield %y : !big
}
plan.kernel @sum(%x: !big) -> tensor<f32> attributes {kind = #plan<kind rows>, ns = 10 : i64} {
  %y = ein.reduce sum(%x) over [1000] maps [affine_map<(i) -> (i)>, affine_map<(i) -> ()>] order lanes
    : (!big) -> tensor<f32>
  plan.yield %y : tensor<f32>
}
plan.program @p attributes {arg_names = [], arg_types = [], arg_batch = array<i64>, result_names = ["y"],
    result_types = [tensor<f32>], result_batch = array<i64: -1>, batch = 0 : i64, micro_batches = 1 : i64} {
  %big = plan.stage @s0 rank 0 : !big {
    %0 = plan.task F : !big {
      %1 = plan.call @ones() path "a" : () -> !big
      plan.yield %1 : !big
    }
    plan.yield %0 : !big
  }
  plan.stage @s1 rank 1 {
    %0 = plan.task F : tensor<f32> {
      %1 = plan.call @sum(%big) path "b" : (!big) -> tensor<f32>
      plan.yield %1 : tensor<f32>
    }
    plan.output "y", %0 : tensor<f32>
    plan.yield
  }
}
