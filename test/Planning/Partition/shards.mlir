// Two ranks share two layers y = v (w x), of whose parameters each has a part: what is computed from them is on its own rank, the
// sum of the parts and the rest where there is less to do. Stages end where values change ranks.
// RUN: plc-opt %s --pass-pipeline="builtin.module(plan-partition{shards=2 join-backward=false})" | FileCheck %s
// RUN: plc-opt %s --pass-pipeline="builtin.module(plan-partition{shards=2},plan-infer-skips,plan-schedule,plan-insert-comm,plan-addresses,plan-verify)" -o /dev/null
// RUN: plc-opt %s --pass-pipeline="builtin.module(plan-partition{shards=2 stages=2},plan-infer-skips,plan-schedule{schedule=zb_h1},plan-insert-comm,plan-addresses,plan-verify)" \
// RUN:   | FileCheck %s --check-prefix=FOUR
// RUN: not plc-opt %s --plan-partition=shards=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: shards is 0 but must be positive
// RUN: not plc-opt %s --plan-partition="shards=2 stages=3 balance=1,1,1" 2>&1 | FileCheck %s --check-prefix=IDLE
// IDLE: error: rank 5 would have nothing to do: no parameter with a divided size is in stage 2 of the pipeline

// CHECK: plan.program @p
// CHECK-SAME: shards = 2
// CHECK: plan.stage @s0 rank 0
// CHECK: plan.param @"part(a.w, axis 0, 0 of 2)"
// CHECK-NOT: 1 of 2
// CHECK: plan.stage @s1 rank 1
// CHECK: plan.param @"part(a.w, axis 0, 1 of 2)"
// CHECK-NOT: 0 of 2
// CHECK: plan.stage @s2 rank
// CHECK-NOT: part(
// CHECK: plan.task F
// CHECK-NEXT: plan.call @add
// CHECK: plan.task B
// CHECK: plan.call @add
// CHECK: plan.stage @s3 rank 0
// CHECK: plan.param @"part(b.w, axis 0, 0 of 2)"
// CHECK: plan.stage @s4 rank 1
// CHECK: plan.param @"part(b.w, axis 0, 1 of 2)"
// CHECK: plan.stage @s5 rank

// FOUR: shards = 2
// FOUR: plan.rank 3

#id = affine_map<(i) -> (i)>
#all = affine_map<(i) -> ()>
!t = tensor<16xf32>

ein.param @"part(a.w, axis 0, 0 of 2)" : !t init constant(1.0, 0.0) shard <"a.w" axis 0, 0 of 2>
ein.param @"part(a.w, axis 0, 1 of 2)" : !t init constant(1.0, 0.0) shard <"a.w" axis 0, 1 of 2>
ein.param @"part(b.w, axis 0, 0 of 2)" : !t init constant(1.0, 0.0) shard <"b.w" axis 0, 0 of 2>
ein.param @"part(b.w, axis 0, 1 of 2)" : !t init constant(1.0, 0.0) shard <"b.w" axis 0, 1 of 2>

plan.kernel @mul(%x: !t, %w: !t) -> !t attributes {kind = #plan<kind elementwise>, flops = 16 : i64, ns = 10 : i64} {
  %y = ein.map mul(%x, %w) over [16] maps [#id, #id, #id] : (!t, !t) -> !t
  plan.yield %y : !t
}
plan.kernel @add(%x: !t, %w: !t) -> !t attributes {kind = #plan<kind elementwise>, flops = 16 : i64, ns = 4 : i64} {
  %y = ein.map add(%x, %w) over [16] maps [#id, #id, #id] : (!t, !t) -> !t
  plan.yield %y : !t
}
plan.kernel @grad(%g: !t, %x: !t, %acc: !t) -> !t
    attributes {kind = #plan<kind contract>, num_accumulators = 1 : i64, flops = 16 : i64, ns = 10 : i64} {
  %y = ein.contract %g, %x over [16] maps [#id, #id, #id] into %acc : !t : (!t, !t) -> !t
  plan.yield %y : !t
}
plan.kernel @sum(%x: !t) -> tensor<f32> attributes {kind = #plan<kind rows>, ns = 2 : i64} {
  %y = ein.reduce sum(%x) over [16] maps [#id, #all] : (!t) -> tensor<f32>
  plan.yield %y : tensor<f32>
}
plan.kernel @ones() -> !t attributes {kind = #plan<kind elementwise>, ns = 2 : i64} {
  %one = ein.constant 1.0 : tensor<f32>
  %y = ein.map id(%one) over [16] maps [#all, #id] : (tensor<f32>) -> !t
  plan.yield %y : !t
}

ein.func @layer.F(%x: !t, %w0: !t, %w1: !t) -> (!t, !t) attributes {kind = "layer", role = "F", num_params = 2 : i64} {
  %y0 = plan.call @mul(%x, %w0) : (!t, !t) -> !t
  %y1 = plan.call @mul(%x, %w1) : (!t, !t) -> !t
  %y = plan.call @add(%y0, %y1) : (!t, !t) -> !t
  ein.return %y, %x : !t, !t
}
ein.func @layer.B(%g: !t, %w0: !t, %w1: !t) -> !t attributes {kind = "layer", role = "B", num_params = 2 : i64} {
  %d0 = plan.call @mul(%g, %w0) : (!t, !t) -> !t
  %d1 = plan.call @mul(%g, %w1) : (!t, !t) -> !t
  %d = plan.call @add(%d0, %d1) : (!t, !t) -> !t
  ein.return %d : !t
}
ein.func @layer.W(%g: !t, %x: !t, %acc0: !t, %acc1: !t) -> (!t, !t)
    attributes {kind = "layer", role = "W", num_accumulators = 2 : i64} {
  %d0 = plan.call @grad(%g, %x, %acc0) : (!t, !t, !t) -> !t
  %d1 = plan.call @grad(%g, %x, %acc1) : (!t, !t, !t) -> !t
  ein.return %d0, %d1 : !t, !t
}
ein.func @loss.F(%x: !t) -> tensor<f32> attributes {kind = "loss", role = "F"} {
  %y = plan.call @sum(%x) : (!t) -> tensor<f32>
  ein.return %y : tensor<f32>
}
ein.func @loss.B() -> !t attributes {kind = "loss", role = "B"} {
  %y = plan.call @ones() : () -> !t
  ein.return %y : !t
}
ein.model @p(%x: !t) -> tensor<f32> attributes {
    arg_names = ["x"], result_names = ["loss"], arg_batch = array<i64: 0>, result_batch = array<i64: -1>,
    batch = 64 : i64, micro_batches = 4 : i64} {
  %y0, %x0 = ein.call @layer.F(%x) params [@"part(a.w, axis 0, 0 of 2)", @"part(a.w, axis 0, 1 of 2)"] path "a" : (!t) -> (!t, !t)
  %y1, %x1 = ein.call @layer.F(%y0) params [@"part(b.w, axis 0, 0 of 2)", @"part(b.w, axis 0, 1 of 2)"] path "b" : (!t) -> (!t, !t)
  %loss = ein.call @loss.F(%y1) path "loss" : (!t) -> tensor<f32>
  %g2 = ein.call @loss.B() path "loss" : () -> !t
  %g1 = ein.call @layer.B(%g2) params [@"part(b.w, axis 0, 0 of 2)", @"part(b.w, axis 0, 1 of 2)"] path "b" : (!t) -> !t
  ein.call @layer.W(%g2, %x1) accumulates [@"part(b.w, axis 0, 0 of 2)", @"part(b.w, axis 0, 1 of 2)"] path "b" : (!t, !t) -> ()
  ein.call @layer.W(%g1, %x0) accumulates [@"part(a.w, axis 0, 0 of 2)", @"part(a.w, axis 0, 1 of 2)"] path "a" : (!t, !t) -> ()
  ein.return %loss : tensor<f32>
}
