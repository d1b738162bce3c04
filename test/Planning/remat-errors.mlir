// What plan-remat refuses; plan-partition, which counts with the same options, refuses it too.
// DEFINE: %{start} = plc-opt %S/Inputs/chain.mlir --plan-partition --plan-infer-skips
// RUN: not %{start} --plan-remat=policy=budget 2>&1 | FileCheck %s --check-prefix=POLICY
// RUN: not plc-opt %S/Inputs/chain.mlir --plan-partition=policy=budget 2>&1 | FileCheck %s --check-prefix=POLICY
// POLICY: checkpoint policy 'budget' is not supported; there are 'none'
// RUN: not %{start} --plan-remat="policy=uniform interval=0" 2>&1 | FileCheck %s --check-prefix=INTERVAL
// INTERVAL: error: interval is 0 but must be positive
// RUN: not %{start} --plan-remat="policy=uniform min-interval=0" 2>&1 | FileCheck %s --check-prefix=LEAST
// LEAST: error: min-interval is 0 but must be positive
// RUN: not %{start} --plan-remat="policy=selective" 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: policy 'selective' selects no layers
// RUN: not %{start} --plan-remat="policy=selective layers=0,3" 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: error: layer 3 is selected but the model has 3 layers
// RUN: not %{start} --plan-remat="policy=selective layers=4 grain=equation" 2>&1 | FileCheck %s --check-prefix=KERNELS
// KERNELS: error: kernel 4 is selected but the model has 4 kernels
// RUN: not %{start} --plan-remat="policy=selective layers=1,0,1" 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: layer 1 is selected twice
// RUN: not %{start} --plan-remat="policy=selective layers=2,1 min-interval=2" 2>&1 | FileCheck %s --check-prefix=CLOSE
// CLOSE: error: layers 1 and 2 are selected but min-interval is 2
// RUN: not %{start} --plan-remat="policy=dynamic memory-fraction=1.5" 2>&1 | FileCheck %s --check-prefix=FRACTION
// FRACTION: error: memory-fraction is 1.500000 but must be from 0 to 1
// RUN: not %{start} --plan-remat="policy=dynamic memory-fraction=nan" 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: error: memory-fraction is nan but must be from 0 to 1
// RUN: not %{start} --plan-remat="policy=uniform attention=false ffn=false" 2>&1 | FileCheck %s --check-prefix=KINDS
// RUN: not plc-opt %S/Inputs/chain.mlir --plan-partition="attention=false ffn=false" 2>&1 | FileCheck %s --check-prefix=KINDS
// KINDS: error: attention and ffn are both false, so nothing is left to recompute
// RUN: not %{start} --plan-remat="grain=byte" 2>&1 | FileCheck %s --check-prefix=GRAIN
// GRAIN: grain 'byte' is not supported; there are 'layer' and 'equation'
// RUN: not %{start} --plan-remat="micro-batches=some" 2>&1 | FileCheck %s --check-prefix=MICRO
// MICRO: micro-batches 'some' is not supported; there are 'always', 'except_last' and 'never'
// RUN: not %{start} --plan-remat="bytes-per-ns=0" 2>&1 | FileCheck %s --check-prefix=BANDWIDTH
// BANDWIDTH: error: bytes-per-ns is 0 but must be positive
// RUN: not %{start} --plan-remat --plan-remat 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: program 'p' has checkpoints already
// RUN: not %{start} --plan-remat="policy=uniform micro-batches=except_last" 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: program 'p' is not scheduled
// RUN: not plc-opt %S/Inputs/chain.mlir --plan-partition=stages=2 --plan-remat 2>&1 | FileCheck %s --check-prefix=ROUTES
// ROUTES: error: stage 's0' has values that cross cuts without routes
// RUN: %{start} --plan-schedule | sed -e '/plan.run @s0 *W mb 0/d' -e 's/.*plan.run @s0 *F mb 0.*/plan.run @s0 W mb 0\n&/' | not plc-opt --plan-remat=policy=uniform 2>&1 | FileCheck %s --check-prefix=RUNS
// RUNS: error: ranks do not run the program: the order never ends, these wait: stage 0, W of micro-batch 0
