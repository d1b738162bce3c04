// What is kept and what is computed again: layers y = x w with paths a, b, c, whose W reads its layer's x.
// DEFINE: %{chain} = plc-opt %inputs/chain.mlir
// DEFINE: %{rest} = --plan-infer-skips --plan-schedule --plan-remat
// RUN: %{chain} --plan-partition --plan-infer-skips --plan-remat | FileCheck %s --check-prefix=NONE
// RUN: %{chain} --plan-partition="policy=uniform interval=2 join-backward=false" %{rest} | FileCheck %s --check-prefix=TWO
// RUN: %{chain} --plan-partition="policy=uniform interval=2 micro-batches=except_last join-backward=false" %{rest} | FileCheck %s --check-prefix=LAST
// RUN: %{chain} --plan-partition="policy=uniform interval=2 micro-batches=never" %{rest} | FileCheck %s --check-prefix=NEVER
// RUN: %{chain} --plan-partition="stages=2 balance=2,1 policy=uniform interval=3 join-backward=false" %{rest} | FileCheck %s --check-prefix=CUT
// RUN: %{chain} --plan-partition="policy=uniform interval=3" %{rest} | FileCheck %s --check-prefix=WHOLE
// What is discarded is what the IR says, whoever wrote it.
// RUN: %{chain} --plan-partition | sed -e '/plan.task *F/,/plan.yield/ s/path "b" :/path "b" discard [0] :/' -e 's/\(@grad.*path "c"\) :/\1 again [1] :/' | plc-opt %{rest} | FileCheck %s --check-prefix=WRITTEN

// All that W reads is kept, and none of it must be.
// NONE: plan.program @p attributes {{.*}}kept_bound_bytes = 0 : i64, kept_bytes = 128 : i64, {{.*}}recompute_bound_ns = 0 : i64, recompute_ns = 0 : i64, remat = #plan<remat "none">
// NONE: plan.layer "a" of 0 kind "layer"
// NONE: plan.layer "b" of 1 kind "layer"
// NONE: plan.layer "c" of 2 kind "layer"
// The loss follows the last layer: it is of none.
// NONE-NOT: plan.layer
// NONE-NOT: plan.checkpoint
// NONE-NOT: recompute

// Layers a and b start from x, which is an input; c from b's result, which is kept. W computes a's result again, for b.
// The step is 4 micro-batches of 84 ns, and of 10 ns more.
// To keep the other value instead would take as long.
// TWO: plan.program @p attributes {{.*}}kept_bytes = 64 : i64, {{.*}}recompute_bound_ns = 10 : i64, recompute_ns = 10 : i64, remat = #plan<remat "uniform">, {{.*}}step_ns = 376 : i64
// TWO: %[[X:.*]] = plan.input "x"
// TWO: %[[F:.*]]:2 = plan.task  F
// TWO-NEXT: plan.call @mul({{.*}}) path "a" discard [0] :
// TWO-NEXT: plan.call @mul({{.*}}) path "b" :
// TWO: plan.checkpoint %[[F]]#0 : tensor<16xf32>
// TWO-NOT: plan.checkpoint
// TWO-NOT: recompute
// TWO: plan.task  W
// TWO-NEXT: plan.call @grad(%{{.*}}, %[[F]]#0, %{{.*}}) path "c"
// TWO-NEXT: %[[A:.*]] = plan.call @mul(%[[X]], %{{.*}}) path "a" recompute <0, 0>
// TWO-NEXT: plan.call @grad(%{{.*}}, %[[A]], %{{.*}}) path "b"
// TWO-NEXT: plan.call @grad(%{{.*}}, %[[X]], %{{.*}}) path "a"
// TWO-NOT: keep

// LAST: keeps_last
// LAST: recompute <0, 0>
// LAST: plan.run @s0 F mb 2
// LAST: plan.run @s0 W mb 2{{$}}
// LAST: plan.run @s0 F mb 3{{$}}
// LAST-NEXT: plan.run @s0 B mb 3 keep
// LAST-NEXT: plan.run @s0 W mb 3 keep

// NEVER: remat = #plan<remat "uniform">
// NEVER-NOT: recompute

// One segment of three layers, cut behind b. The first stage starts from x; the second has received what c starts from.
// CUT: plan.stage @s0
// CUT: plan.call @mul({{.*}}) path "a" recompute <0, 0>
// CUT-NOT: recompute
// CUT: plan.stage @s1
// CUT: %[[B:.*]] = plan.pop
// CUT: plan.call @grad(%{{.*}}, %[[B]], %{{.*}}) path "c"
// CUT-NOT: recompute

// The full backward: W's calls follow B's, layer by layer. The chain of c is computed once, and serves b too.
// WHOLE: plan.task  B
// WHOLE-NEXT: plan.call @ones
// WHOLE-NEXT: plan.call @mul({{.*}}) path "c" :
// WHOLE-NEXT: %[[A:.*]] = plan.call @mul({{.*}}) path "a" recompute <0, 0>
// WHOLE-NEXT: %[[B:.*]] = plan.call @mul(%[[A]], {{.*}}) path "b" recompute <1, 1>
// WHOLE-NEXT: plan.call @grad(%{{.*}}, %[[B]], %{{.*}}) path "c"
// WHOLE-NEXT: plan.call @mul({{.*}}) path "b" :
// WHOLE-NEXT: plan.call @grad(%{{.*}}, %[[A]], %{{.*}}) path "b"
// WHOLE-NEXT: plan.call @grad({{.*}}) path "a"
// WHOLE-NOT: plan.task

// WRITTEN: plan.call @mul({{.*}}) path "b" discard [0] :
// WRITTEN: plan.call @mul({{.*}}) path "b" recompute <1, 0> :
// WRITTEN-NOT: recompute <
