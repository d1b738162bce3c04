// RUN: plc-opt %s | plc-opt | FileCheck %s

// Two stages of a training program, scheduled, with one of its messages and addresses for it.

#id = affine_map<(i) -> (i)>
plan.kernel @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {kind = #plan<kind elementwise>, ns = 10 : i64} {
  %y = ein.map exp(%x) over [4] maps [#id, #id] : (tensor<4xf32>) -> tensor<4xf32>
  plan.yield %y : tensor<4xf32>
}
ein.param @w : tensor<4xf32> init constant(0.0, 0.0)
ein.param @kept : tensor<4xf32> init constant(0.0, 0.0) frozen replaced

// CHECK-LABEL: plan.program @p attributes
plan.program @p attributes {arg_names = ["x"], arg_types = [tensor<4xf32>], arg_batch = array<i64: -1>,
                            result_names = ["y"], result_types = [tensor<4xf32>], result_batch = array<i64: -1>,
                            batch = 0 : i64, micro_batches = 1 : i64} {
  // CHECK: plan.stage @s0 rank 0
  plan.stage @s0 rank 0 {
    // CHECK: plan.param @w owned : tensor<4xf32>
    %w = plan.param @w owned : tensor<4xf32>
    // CHECK: plan.param @kept owned frozen : tensor<4xf32>
    %kept = plan.param @kept owned frozen : tensor<4xf32>
    // CHECK: plan.site @w 0 : tensor<4xf32>
    %g = plan.site @w 0 : tensor<4xf32>
    // CHECK: plan.input "x" : tensor<4xf32>
    %x = plan.input "x" : tensor<4xf32>
    // CHECK: plan.task F : tensor<4xf32> {
    %a = plan.task F : tensor<4xf32> {
      // CHECK: plan.call @f(%{{.*}}) path "layer.0"
      %b = plan.call @f(%x) path "layer.0" : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield %b : tensor<4xf32>
    }
    // CHECK: plan.stash @r0, %{{.*}} : tensor<4xf32>
    plan.stash @r0, %a : tensor<4xf32>
    plan.stash @r1, %w : tensor<4xf32>
    plan.yield
  }
  plan.stage @s1 rank 1 attributes {layers = 1 : i64} {
    %w = plan.param @w : tensor<4xf32>
    // CHECK: plan.pop @r0 : tensor<4xf32>
    %a = plan.pop @r0 : tensor<4xf32>
    // CHECK: plan.pop @r1 into %{{.*}} : tensor<4xf32> : tensor<4xf32>
    plan.pop @r1 into %w : tensor<4xf32> : tensor<4xf32>
    %b = plan.task F : tensor<4xf32> {
      %c = plan.call @f(%a) path "layer.1" : (tensor<4xf32>) -> tensor<4xf32>
      plan.yield %c : tensor<4xf32>
    }
    // CHECK: plan.output "y", %{{.*}} : tensor<4xf32>
    plan.output "y", %b : tensor<4xf32>
    plan.yield
  }
  // CHECK: plan.route @r0 from @s0 to @s1 per micro_batch carries "layer.0" : tensor<4xf32>
  plan.route @r0 from @s0 to @s1 per micro_batch carries "layer.0" : tensor<4xf32>
  // CHECK: plan.route @r1 from @s0 to @s1 per step carries "w" : tensor<4xf32>
  plan.route @r1 from @s0 to @s1 per step carries "w" : tensor<4xf32>
  // CHECK: plan.channel @c0 carries @r0 from 0 to 1 slots 1 tag 0
  plan.channel @c0 carries @r0 from 0 to 1 slots 1 tag 0
  // CHECK: plan.rank 0 after [1, 0, 2, 1, 3, 2, 4, 3] {
  plan.rank 0 after [1, 0, 2, 1, 3, 2, 4, 3] {
    // CHECK: plan.layout persistent 64 arena 192 bound 192 {
    plan.layout persistent 64 arena 192 bound 192 {
      // CHECK: plan.buffer parameter "w" at 0 bytes 16 owned
      plan.buffer parameter "w" at 0 bytes 16 owned
      // CHECK: plan.buffer gradient "w" site 0 at 64 bytes 16
      plan.buffer gradient "w" site 0 at 64 bytes 16
      // CHECK: plan.frame @s0 F bases 2 slots [0, 0, 1, 0]
      plan.frame @s0 F bases 2 slots [0, 0, 1, 0]
    }
    // CHECK: plan.run @s0 F mb 0 at [128, 64]
    plan.run @s0 F mb 0 at [128, 64]
    // CHECK: plan.send @c0 mb 0 at 64
    plan.send @c0 mb 0 at 64
    // CHECK: plan.wait_send @c0 mb 0
    plan.wait_send @c0 mb 0
    // CHECK: plan.drop mb 0 at 64 bytes 16
    plan.drop mb 0 at 64 bytes 16
    // CHECK: plan.step
    plan.step
  }
  plan.rank 1 {
    // CHECK: plan.post_recv @c0 mb 0
    plan.post_recv @c0 mb 0
    // CHECK: plan.wait_recv @c0 mb 0
    plan.wait_recv @c0 mb 0
    plan.run @s1 F mb 0
  }
}
