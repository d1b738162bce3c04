// RUN: plc-opt %inputs/chain.mlir --plan-partition=stages=2 | FileCheck %s
// RUN: plc-opt %inputs/chain.mlir --plan-partition="stages=2 balance=1,2" | FileCheck %s --check-prefix=BALANCE
// RUN: plc-opt %inputs/chain.mlir --plan-partition="stages=2 rank-map=1,0" | FileCheck %s --check-prefix=RANKS
// RUN: plc-opt %inputs/chain.mlir --plan-partition="stages=4 rank-map=3,2,1,0 follows=true" | FileCheck %s --check-prefix=FEWER
// RUN: plc-opt %inputs/chain.mlir --plan-partition="stages=6 rank-map=0,1,2,2,1,0 schedule=zbv follows=true" | FileCheck %s --check-prefix=VEE
// RUN: plc-opt %inputs/chain.mlir --plan-partition="stages=2 bytes-per-ns=1 schedule=gpipe" | FileCheck %s --check-prefix=SLOW
// RUN: plc-opt %inputs/chain.mlir --plan-partition="stages=2 schedule=zb_h1" | FileCheck %s --check-prefix=SPLIT
// RUN: plc-opt %inputs/chain.mlir --plan-partition="stages=2 join-backward=false" | FileCheck %s --check-prefix=SPLIT
// RUN: not plc-opt %inputs/chain.mlir --plan-partition=stages=4 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not plc-opt %inputs/chain.mlir --plan-partition=stages=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="stages=2 balance=3" 2>&1 | FileCheck %s --check-prefix=LENGTH
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="stages=2 balance=3,0" 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="stages=2 balance=3,3" 2>&1 | FileCheck %s --check-prefix=SUM
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="stages=2 rank-map=0" 2>&1 | FileCheck %s --check-prefix=PLACES
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="stages=2 rank-map=0,2" 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="stages=2 rank-map=1,1" 2>&1 | FileCheck %s --check-prefix=HOLE
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="stages=2 schedule=zigzag" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="bytes-per-ns=0" 2>&1 | FileCheck %s --check-prefix=BANDWIDTH
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="moments=-1" 2>&1 | FileCheck %s --check-prefix=MOMENTS

// Bodies are inlined, W with its F; the loose loss goes with the layer before it.
// CHECK-NOT: ein.model
// CHECK-NOT: ein.func
// CHECK: plan.program @p attributes {{.*}}cut_bound_ns = 50 : i64, cut_ns = 58 : i64
// CHECK: %[[S0:.*]] = plan.stage @s0 rank 0 attributes {{.*}}layers = 2
// CHECK: plan.param @a.w owned
// CHECK: plan.task F
// CHECK: plan.call @mul({{.*}}) path "a"
// CHECK: plan.call @mul({{.*}}) path "b"
// Nobody waits for its B, so W is part of it.
// CHECK: plan.task B
// CHECK: plan.call @grad
// CHECK-NOT: plan.task W
// CHECK: %[[S1:.*]] = plan.stage @s1 rank 1 attributes {{.*}}layers = 1
// CHECK: plan.param @a.w :
// CHECK: plan.site @a.w 1
// CHECK: plan.task F
// CHECK: plan.call @mul(%[[S0]], {{.*}}) path "c"
// CHECK: plan.call @sum({{.*}}) path "p.loss"
// CHECK: plan.task B
// CHECK: plan.task W
// CHECK: plan.output "loss"

// A schedule that moves W away from B, or the option, keeps them apart.
// SPLIT: plan.stage @s0
// SPLIT: plan.task W
// SPLIT: plan.stage @s1

// BALANCE: plan.stage @s0 rank 0 attributes {{.*}}layers = 1
// BALANCE: plan.stage @s1 rank 1 attributes {{.*}}layers = 2

// RANKS: plan.stage @s0 rank 1
// RANKS: plan.stage @s1 rank 0

// A program of fewer layers has the first stages, whose ranks keep their order; or those that the schedule places.
// FEWER: plan.stage @s0 rank 2 attributes {{.*}}layers = 1
// FEWER: plan.stage @s1 rank 1 attributes {{.*}}layers = 1
// FEWER: plan.stage @s2 rank 0 attributes {{.*}}layers = 1
// FEWER-NOT: plan.stage @
// VEE: plan.stage @s0 rank 0
// VEE: plan.stage @s1 rank 1
// VEE: plan.stage @s2 rank 1
// VEE-NOT: plan.stage @

// A tensor of 64 bytes takes 64 ns on the way in: stage s0 takes 50 + 64, s1 34 + 64.
// SLOW: cut_ns = 114 : i64

// MANY: chain.mlir:{{[0-9]+}}:{{[0-9]+}}: error: no plan fits: 4 stages but model 'p' has 3 layer calls to cut
// ZERO: error: stages is 0 but must be positive
// LENGTH: error: balance has 1 entries but there are 2 stages
// EMPTY: error: balance has 0, but every stage needs a layer call
// SUM: error: balance has 6 layer calls but model 'p' has 3
// PLACES: error: rank map has 1 entries but there are 2 stages
// RANGE: error: rank map names rank 2 but with 2 stages ranks are 0 to 1
// HOLE: error: rank map leaves out rank 0 of 2
// NAME: schedule 'zigzag' is not supported; there are 'gpipe'
// BANDWIDTH: error: bytes-per-ns is 0 but must be positive
// MOMENTS: error: moments is -1 but must be at least 0
