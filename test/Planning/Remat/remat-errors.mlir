// What plan-partition refuses of recomputation, and what plan-remat refuses.
// DEFINE: %{start} = plc-opt %inputs/chain.mlir --plan-partition --plan-infer-skips
// RUN: not plc-opt %inputs/chain.mlir --plan-partition=policy=some 2>&1 | FileCheck %s --check-prefix=POLICY
// POLICY: checkpoint policy 'some' is not supported; there are 'none'
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="policy=uniform interval=0" 2>&1 | FileCheck %s --check-prefix=INTERVAL
// INTERVAL: error: interval is 0 but must be positive
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="policy=uniform min-interval=0" 2>&1 | FileCheck %s --check-prefix=LEAST
// LEAST: error: min-interval is 0 but must be positive
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="policy=selective" 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: policy 'selective' selects no layers
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="policy=selective layers=0,3" 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: error: layer 3 is selected but the model has 3 layers
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="policy=selective layers=4 grain=equation" 2>&1 | FileCheck %s --check-prefix=KERNELS
// KERNELS: error: kernel 4 is selected but the model has 4 kernels
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="policy=selective layers=1,0,1" 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: layer 1 is selected twice
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="policy=selective layers=2,1 min-interval=2" 2>&1 | FileCheck %s --check-prefix=CLOSE
// CLOSE: error: layers 1 and 2 are selected but min-interval is 2
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="policy=dynamic memory-fraction=1.5" 2>&1 | FileCheck %s --check-prefix=FRACTION
// FRACTION: error: memory-fraction is 1.500000 but must be from 0 to 1
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="policy=dynamic memory-fraction=nan" 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: error: memory-fraction is nan but must be from 0 to 1
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="grain=byte" 2>&1 | FileCheck %s --check-prefix=GRAIN
// GRAIN: grain 'byte' is not supported; there are 'layer' and 'equation'
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="micro-batches=some" 2>&1 | FileCheck %s --check-prefix=MICRO
// MICRO: micro-batches 'some' is not supported; there are 'always', 'except_last' and 'never'
// RUN: not %{start} --plan-remat="bytes-per-ns=0" 2>&1 | FileCheck %s --check-prefix=BANDWIDTH
// BANDWIDTH: error: bytes-per-ns is 0 but must be positive
// RUN: not plc-opt %inputs/chain.mlir --plan-partition=policy=uniform --plan-infer-skips --plan-remat --plan-remat 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: program 'p' has clones already
// RUN: not plc-opt %inputs/chain.mlir --plan-partition="policy=uniform micro-batches=except_last" --plan-infer-skips --plan-remat 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: program 'p' is not scheduled
// RUN: not plc-opt %inputs/chain.mlir --plan-partition=stages=2 --plan-remat 2>&1 | FileCheck %s --check-prefix=ROUTES
// ROUTES: error: stage 's0' has values that cross cuts without routes
// RUN: plc-opt %inputs/chain.mlir --plan-partition="policy=uniform join-backward=false" --plan-infer-skips --plan-schedule | sed -e '/plan.run @s0 *W mb 0/d' -e 's/.*plan.run @s0 *F mb 0.*/plan.run @s0 W mb 0\n&/' | not plc-opt --plan-remat 2>&1 | FileCheck %s --check-prefix=RUNS
// RUNS: error: ranks do not run the program: the order never ends, these wait: stage 0, W of micro-batch 0
