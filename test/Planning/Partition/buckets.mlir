// The two stages of a pipeline on two replicas, each in at most two buckets of about equal time on its rank: gradients of c leave before
// b runs backward. Nothing else changes: W is where it was, no more micro-batches are in flight, and the order is the pipeline's.
// RUN: sed -e 's/micro_batches = 4 : i64/&, accumulation_groups = 4 : i64/' %inputs/chain.mlir > %t
// RUN: plc-opt %t --pass-pipeline="builtin.module(plan-partition{stages=2 balance=1,2 replicas=2 buckets=2},plan-infer-skips,plan-schedule,plan-replicate,plan-insert-comm,plan-addresses,plan-verify)" \
// RUN:   -o %t.plan && FileCheck %s < %t.plan

// CHECK: plan.program @p
// CHECK-SAME: pipeline = array<i64: 0, 1, 1>
// CHECK: plan.stage @s0 rank 0
// CHECK: plan.stage @s1 rank 1
// CHECK: plan.stage @s2 rank 1
// CHECK: plan.rank 1
// CHECK: plan.run @s1 F mb 0
// CHECK-NEXT: plan.run @s2 F mb 0
// CHECK: plan.run @s2 B mb 0
// CHECK-NEXT: plan.run @s1 B mb 0
// CHECK: plan.run @s2 W mb 0
// CHECK: plan.run @s1 W mb 0
// CHECK: plan.rank 3
// CHECK: plan.run @s2.1 W mb 3
// CHECK-NEXT: plan.send @{{.*}} mb -1
// CHECK: plan.run @s1.1 W mb 3

// One replica has nothing to send, what is computed again belongs to whole stages, and ranks that share stages divide them otherwise.
// RUN: plc-opt %t --plan-partition="stages=2 buckets=2" | FileCheck %s --check-prefix=WHOLE
// RUN: plc-opt %t --plan-partition="stages=2 replicas=2" | FileCheck %s --check-prefix=WHOLE
// RUN: plc-opt %t --plan-partition="stages=2 replicas=2 buckets=2 policy=uniform interval=2" | FileCheck %s --check-prefix=WHOLE
// WHOLE-NOT: pipeline =
// WHOLE: plan.stage @s1
// WHOLE-NOT: plan.stage @s2

// RUN: not plc-opt %t --plan-partition="buckets=0" 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: buckets is 0 but must be positive
