// What depends on parameters alone is prepared in each stage that reads it, once, and has a place for the whole run.
// DEFINE: %{before} = plc-opt %inputs/steady.mlir --record-numerics
// DEFINE: %{after} = --plan-infer-skips --plan-schedule --plan-remat --plan-insert-comm --plan-addresses --plan-verify
// RUN: %{before} --plan-partition="stages=2 prepare=true" %{after} | FileCheck %s
// RUN: %{before} --plan-partition="stages=2" %{after} | FileCheck %s --check-prefix=PLAIN
// RUN: %{before} --plan-partition="stages=2 rank-map=0,0 prepare=true" %{after} | FileCheck %s --check-prefix=SHARED
// RUN: plc-opt %inputs/chain.mlir --record-numerics --plan-partition="stages=2 prepare=true" %{after} \
// RUN:   | FileCheck %s --check-prefix=TRAIN

// No route carries the table, and no time of the step is its.
// CHECK: plan.program @p {{.*}}cut_ns = 18 : i64{{.*}}step_ns = 38 : i64
// CHECK: plan.stage @s0 rank 0
// CHECK: %[[W:.*]] = plan.param @tables.w owned
// CHECK: %[[T:.*]] = plan.task P : tensor<16xf32> {
// CHECK-NEXT: %[[E:.*]] = plan.call @exp(%[[W]]) path "tables"
// CHECK-NEXT: plan.call @mul(%[[E]], %[[W]]) path "tables"
// CHECK: plan.task F
// CHECK-NEXT: plan.call @mul(%{{.*}}, %[[T]]) path "a"
// CHECK: plan.stage @s1 rank 1
// CHECK: plan.param @tables.w :
// CHECK: plan.task P
// CHECK: plan.route @r0 from @s0 to @s1 per micro_batch carries "a.F"
// CHECK-NOT: plan.route
// Parameter, input, table; the value that P makes for itself is dropped behind it.
// CHECK: plan.rank 0 {
// CHECK-NEXT: plan.layout persistent 256 arena 384 bound 384 {
// CHECK: plan.buffer input "x" at 64 bytes 128
// CHECK-NEXT: plan.buffer precomputed "s0.0" at 192 bytes 64
// CHECK: plan.run @s0 P mb -1 at [256]
// CHECK-NEXT: plan.drop mb -1 at 256 bytes 64
// CHECK-NEXT: plan.run @s0 F mb 0 at [64, 256]
// CHECK-NOT: plan.run @s0 P
// CHECK: plan.rank 1 {
// CHECK: plan.buffer precomputed "s1.0"
// CHECK: plan.run @s1 P mb -1
// CHECK: plan.run @s1 F mb 0

// PLAIN-NOT: P {{mb|:}}
// PLAIN: plan.route @r1

// Two stages of a rank each have their own.
// SHARED: plan.buffer precomputed "s0.0"
// SHARED-NEXT: plan.buffer precomputed "s1.0"
// SHARED: plan.run @s0 P mb -1
// SHARED: plan.run @s1 P mb -1

// Of a program that trains, what reads no trained parameter: the loss's own gradient.
// TRAIN-NOT: plan.task P
// TRAIN: plan.stage @s1
// TRAIN: plan.task P : tensor<16xf32> {
// TRAIN-NEXT: plan.call @ones
// TRAIN-NOT: plan.task P
