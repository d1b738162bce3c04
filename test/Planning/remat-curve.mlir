// What each byte less costs: layers as in remat-budget.test.
// DEFINE: %{cut} = plc-opt %S/Inputs/chain.mlir --plan-partition
// RUN: %{cut} --plan-remat-curve=points=2 -o /dev/null | FileCheck %s
// CHECK: stage 's0' of 'p', 896 B of them static, 1 micro-batches in flight
// CHECK-NEXT: bytes     added ns              bound ns      gap
// CHECK-NEXT: {{^}}        1152            0    0.0 %            0    0.0 %
// CHECK-NEXT: {{^}}        1088           10   11.9 %           10    0.0 %
// CHECK-NOT: %
// RUN: not %{cut} --plan-remat-curve=points=0 2>&1 | FileCheck %s --check-prefix=POINTS
// POINTS: error: points is 0 but must be positive
