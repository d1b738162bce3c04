// RUN: plc-opt %inputs/chain.mlir --plan-partition=stages=3 --plan-infer-skips --plan-schedule | FileCheck %s
// RUN: plc-opt %inputs/chain.mlir --plan-partition=stages=3 --plan-infer-skips --plan-schedule=schedule=gpipe | FileCheck %s --check-prefix=GPIPE
// RUN: sed -e 's/micro_batches = 4/micro_batches = 1/' %inputs/chain.mlir | plc-opt --plan-partition=stages=3 --plan-infer-skips --plan-schedule | FileCheck %s --check-prefix=FEW
// RUN: plc-opt %inputs/chain.mlir --plan-partition="stages=3 schedule=zb_h1" --plan-infer-skips --plan-schedule=schedule=zb_h1 | FileCheck %s --check-prefix=SPLIT
// RUN: not plc-opt %inputs/chain.mlir --plan-partition --plan-schedule=schedule=file 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not plc-opt %inputs/chain.mlir --plan-partition --plan-schedule="schedule=file file=%t.none" 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: echo 0F0,0B1 > %t.csv && not plc-opt %inputs/chain.mlir --plan-partition --plan-schedule="schedule=file file=%t.csv" 2>&1 | FileCheck %s --check-prefix=CELL
// RUN: echo 0F0,0B0 > %t.csv && not plc-opt %inputs/chain.mlir --plan-partition --plan-schedule="schedule=file file=%t.csv" 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not plc-opt %inputs/chain.mlir --plan-partition --plan-schedule=schedule=zigzag 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not plc-opt %inputs/chain.mlir --plan-partition --plan-schedule=bytes-per-ns=0 2>&1 | FileCheck %s --check-prefix=BANDWIDTH
// RUN: not plc-opt %inputs/chain.mlir --plan-partition=stages=2 --plan-schedule 2>&1 | FileCheck %s --check-prefix=ROUTES
// RUN: not plc-opt %inputs/chain.mlir --plan-partition --plan-schedule --plan-schedule 2>&1 | FileCheck %s --check-prefix=AGAIN

// CHECK: schedule = #plan<schedule "1f1b">, step_bound_ns = {{[0-9]+}} : i64, step_ns = {{[0-9]+}}
// CHECK: plan.rank 0 {
// CHECK-NEXT: plan.run @s0 F mb 0
// CHECK-NEXT: plan.run @s0 F mb 1
// CHECK-NEXT: plan.run @s0 F mb 2
// CHECK-NEXT: plan.run @s0 W mb 0
// CHECK-NEXT: plan.run @s0 F mb 3
// CHECK: plan.rank 2 {
// CHECK-NEXT: plan.run @s2 F mb 0
// CHECK-NEXT: plan.run @s2 B mb 0
// CHECK-NEXT: plan.run @s2 W mb 0
// CHECK-NEXT: plan.run @s2 F mb 1

// GPIPE: plan.rank 2 {
// GPIPE-NEXT: plan.run @s2 F mb 0
// GPIPE-NEXT: plan.run @s2 F mb 1
// GPIPE-NEXT: plan.run @s2 F mb 2
// GPIPE-NEXT: plan.run @s2 F mb 3
// GPIPE-NEXT: plan.run @s2 B mb 0
// GPIPE-NEXT: plan.run @s2 W mb 0

// Fewer micro-batches than stages.
// FEW: plan.rank 0 {
// FEW-NEXT: plan.run @s0 F mb 0
// FEW-NEXT: plan.run @s0 W mb 0
// FEW-NEXT: }

// W of the last stage is put off.
// SPLIT: plan.rank 2 {
// SPLIT-NEXT: plan.run @s2 F mb 0
// SPLIT-NEXT: plan.run @s2 B mb 0
// SPLIT-NEXT: plan.run @s2 F mb 1
// SPLIT-NEXT: plan.run @s2 B mb 1
// SPLIT-NEXT: plan.run @s2 F mb 2
// SPLIT-NEXT: plan.run @s2 B mb 2
// SPLIT-NEXT: plan.run @s2 W mb 0

// FILE: error: schedule is 'file' but no 'file' is given
// ABSENT: error: cannot read schedule '{{.*}}.none': No such file or directory
// CELL: csv:1:5: error: '0B1' stands where '0B0' is next
// COUNT: error: schedule '{{.*}}.csv': has 1 micro-batches but the program has 4
// NAME: schedule 'zigzag' is not supported; there are 'gpipe'
// BANDWIDTH: error: bytes-per-ns is 0 but must be positive
// ROUTES: error: stage 's0' has values that cross cuts without routes
// AGAIN: error: program 'p' is scheduled already
