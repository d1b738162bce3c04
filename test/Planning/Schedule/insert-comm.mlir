// DEFINE: %{start} = plc-opt %inputs/chain.mlir --plan-partition=stages=2 --plan-infer-skips
// RUN: %{start} --plan-schedule --plan-insert-comm | FileCheck %s
// RUN: %{start} --plan-schedule="schedule=gpipe bytes-per-ns=1" --plan-insert-comm=bytes-per-ns=1 | FileCheck %s --check-prefix=GPIPE
// RUN: %{start} --plan-schedule=schedule=gpipe --plan-insert-comm=max-slots=1 | FileCheck %s --check-prefix=SLOTS
// RUN: plc-opt %inputs/chain.mlir --plan-partition="stages=3 rank-map=0,1,0" --plan-infer-skips --plan-schedule --plan-insert-comm | FileCheck %s --check-prefix=MOVE
// RUN: not %{start} --plan-schedule --plan-insert-comm=tag-limit=20 2>&1 | FileCheck %s --check-prefix=TAG
// RUN: not %{start} --plan-schedule --plan-insert-comm=max-slots=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not %{start} --plan-insert-comm 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not %{start} --plan-schedule --plan-insert-comm --plan-insert-comm 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: %{start} --plan-schedule | sed -e '/plan.run @s1 *W mb 3/d' | not plc-opt --plan-insert-comm 2>&1 | FileCheck %s --check-prefix=RUNS

// tag = 2 M ordinal + direction, M = 4.
// CHECK: plan.channel @c0 carries @r0 from 0 to 1 slots 1 tag 0
// CHECK: plan.channel @c1 carries @r1 from 1 to 0 slots 1 tag 9
// CHECK: plan.rank 0 {
// CHECK-NEXT: plan.run @s0 F mb 0
// CHECK-NEXT: plan.send @c0 mb 0
// Just in time: before the run that precedes B.
// CHECK-NEXT: plan.post_recv @c1 mb 0
// CHECK-NEXT: plan.run @s0 F mb 1
// CHECK: plan.wait_recv @c1 mb 0
// CHECK-NEXT: plan.run @s0 B mb 0
// The site arrives before the step, the parameter leaves after it.
// CHECK: plan.wait_recv @c2 mb -1
// CHECK-NEXT: plan.step
// CHECK-NEXT: plan.send @c3 mb -1
// CHECK: plan.rank 1 {
// CHECK-NEXT: plan.post_recv @c0 mb 0
// CHECK-NEXT: plan.wait_recv @c0 mb 0
// CHECK-NEXT: plan.run @s1 F mb 0

// A message takes 64 ns, more than a run: receives are posted so much earlier, and need slots.
// GPIPE: plan.channel @c0 carries @r0 from 0 to 1 slots {{[2-9]}}
// SLOTS: plan.channel @c0 carries @r0 from 0 to 1 slots 1
// SLOTS: plan.rank 1 {
// SLOTS: plan.wait_recv @c0 mb 0
// SLOTS-NEXT: plan.post_recv @c0 mb 1
// SLOTS-NEXT: plan.run @s1 F mb 0

// Stages s0 and s2 share rank 0: no step message.
// MOVE-NOT: mb -1

// TAG: error: no plan fits: route 'r2' (gradient of a.w, site 1) needs tag 23, limit 20
// ZERO: error: max-slots is 0 but must be positive
// NONE: error: program 'p' is not scheduled
// AGAIN: error: 'plan.{{.*}}' op stands on rank 0 already, but messages are inserted between runs alone
// RUNS: error: ranks do not run the program: stage 1, W of micro-batch 3 is missing
