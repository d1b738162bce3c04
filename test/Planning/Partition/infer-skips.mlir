// RUN: plc-opt %inputs/chain.mlir --plan-partition=stages=3 --plan-infer-skips | FileCheck %s
// RUN: plc-opt %inputs/chain.mlir --plan-partition="stages=3 rank-map=0,1,0" --plan-infer-skips | FileCheck %s --check-prefix=SHARED
// RUN: not plc-opt %inputs/chain.mlir --plan-partition=stages=3 --plan-infer-skips --plan-infer-skips 2>&1 | FileCheck %s --check-prefix=AGAIN

// The tied parameter's gradient goes straight from the last stage to the first, its new value straight back.
// CHECK: plan.stage @s0 rank 0 attributes
// CHECK: plan.pop @r4 into %{{.*}}
// CHECK: plan.stash @r0, %{{.*}}
// CHECK: plan.stash @r5, %{{.*}}
// CHECK: plan.stage @s1 rank 1 attributes
// CHECK-DAG: plan.pop @r0
// CHECK-DAG: plan.pop @r3
// CHECK: plan.stage @s2 rank 2 attributes
// CHECK-DAG: plan.pop @r2
// CHECK-DAG: plan.pop @r5 into
// CHECK: plan.route @r0 from @s0 to @s1 per micro_batch carries "a.F"
// CHECK: plan.route
// CHECK: plan.route
// CHECK: plan.route @r{{.}} from @s2 to @s0 per step carries "gradient of a.w, site 1"
// CHECK: plan.route @r{{.}} from @s0 to @s2 per step carries "a.w"

// On one rank there is one parameter: nothing to carry per step.
// SHARED: plan.route @r0
// SHARED-NOT: per step

// AGAIN: error: program 'p' has routes already
