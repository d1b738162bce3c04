// RUN: plc-opt %S/Inputs/chain.mlir --plan-partition --plan-remat | FileCheck %s
// RUN: not plc-opt %S/Inputs/chain.mlir --plan-partition --plan-remat=policy=uniform 2>&1 | FileCheck %s --check-prefix=NAME

// CHECK: plan.program @p attributes {{.*}}remat = "none"
// NAME: error: checkpoint policy 'uniform' is not supported; there is 'none'
