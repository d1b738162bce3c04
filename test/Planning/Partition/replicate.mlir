// Two replicas of the chain's two stages: copies on ranks of their own, for the other half of the micro-batches. a.w is owned by
// the first, b.w, of which it would own less, by the second; so are their groups and new values sent.
// RUN: sed -e 's/micro_batches = 4 : i64/&, accumulation_groups = 4 : i64/' %inputs/chain.mlir > %t
// DEFINE: %{plan} = plc-opt %t --pass-pipeline="builtin.module(plan-partition{stages=2 replicas=2},plan-infer-skips,plan-schedule,plan-replicate)"
// RUN: %{plan} | FileCheck %s
// RUN: %{plan} | plc-opt --plan-insert-comm --plan-addresses --plan-verify -o /dev/null

// CHECK: plan.stage @s0 rank 0
// CHECK-DAG: plan.site @a.w 1 group 2 groups 2
// CHECK-DAG: plan.site @a.w 0 group 2 groups 2
// CHECK-DAG: plan.param @a.w owned
// CHECK-DAG: plan.param @b.w :
// CHECK-DAG: plan.site @b.w 0 groups 2
// CHECK-DAG: plan.site @a.w 0 groups 2
// CHECK: plan.stage @s1 rank 1
// CHECK: plan.param @a.w :
// CHECK: plan.stage @s0.1 rank 2 attributes {{.*}}replica = 1
// CHECK-DAG: plan.site @b.w 0 groups 2
// CHECK-DAG: plan.param @b.w owned
// CHECK-DAG: plan.site @b.w 0 group 2 groups 2
// CHECK: plan.stage @s1.1 rank 3 attributes {{.*}}replica = 1
// CHECK: plan.param @a.w :
// CHECK: plan.site @a.w 1 group 2 groups 2
// CHECK: plan.route @r0 from @s0 to @s1 per micro_batch carries "b.F" :
// CHECK: plan.route @r0.1 from @s0.1 to @s1.1 per micro_batch carries "b.F" :
// CHECK: plan.route @{{.*}} from @s0 to @s0.1 per step carries "gradient of b.w, site 0" groups 2 :
// CHECK: plan.route @{{.*}} from @s1.1 to @s0 per step carries "gradient of a.w, site 1" groups 2 :
// CHECK: plan.route @{{.*}} from @s0.1 to @s0 per step carries "b.w" :
// CHECK: plan.rank 2 {
// CHECK-NEXT: plan.run @s0.1 F mb 2
// CHECK-NEXT: plan.run @s0.1 F mb 3

// Each clone of a call has an id of its own.
// RUN: plc-opt %t --pass-pipeline="builtin.module(plan-partition{stages=2 replicas=4 policy=uniform interval=1},plan-infer-skips,plan-schedule,plan-remat,plan-replicate,plan-insert-comm,plan-addresses,plan-verify)" -o /dev/null

// RUN: not plc-opt %t --plan-partition=replicas=3 2>&1 | FileCheck %s --check-prefix=DIVIDE
// DIVIDE: error: number of replicas is 3 but must divide that of accumulation groups, 4
// RUN: %{plan} | not plc-opt --plan-replicate 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: program 'p' has all its replicas already
// RUN: not plc-opt %t --pass-pipeline="builtin.module(plan-partition{stages=2 replicas=2},plan-infer-skips,plan-schedule,plan-insert-comm)" 2>&1 | FileCheck %s --check-prefix=FIRST
// FIRST: error: program 'p' has one of 2 replicas: run '--plan-replicate' first
// RUN: plc-opt %t --pass-pipeline="builtin.module(plan-partition{stages=2},plan-infer-skips,plan-schedule,plan-insert-comm)" \
// RUN:   | sed -e 's/accumulation_groups = 4 : i64/&, replicas = 2 : i64/' | not plc-opt --plan-replicate 2>&1 | FileCheck %s --check-prefix=MESSAGES
// MESSAGES: error: program 'p' has messages already, but replicas are made before them
