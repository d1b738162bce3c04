// RUN: plc-opt %inputs/chain.mlir --plan-partition=stages=3 --plan-infer-skips --plan-print-routes -o %t.mlir | FileCheck %s
// RUN: not plc-opt %inputs/chain.mlir --plan-print-routes 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: module has no 'plan.program': run '--plan-partition' first
// Nothing is changed.
// RUN: plc-opt %inputs/chain.mlir --plan-partition=stages=3 --plan-infer-skips | cmp - %t.mlir

// CHECK: routes of 'p'
// CHECK-NEXT: from s0
// CHECK-NEXT: r0 to s1: a.F, 64 B per micro-batch
// CHECK: {{^ +}}from s1
// CHECK: {{^ +}}from s2
// CHECK: {{^ +}}to s0
// CHECK-NEXT: r1 from s1: b.B, 64 B per micro-batch
// CHECK-NEXT: r4 from s2: gradient of a.w, site 1, 64 B per step
// CHECK: {{^ +}}to s1
// CHECK-NEXT: r0 from s0: a.F, 64 B per micro-batch
// CHECK: {{^ +}}to s2
// CHECK-NEXT: r2 from s1: b.F, 64 B per micro-batch
