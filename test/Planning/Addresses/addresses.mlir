// DEFINE: %{start} = plc-opt %inputs/chain.mlir --plan-partition=stages=2 --plan-infer-skips --plan-schedule --plan-insert-comm
// RUN: %{start} --plan-addresses | FileCheck %s
// RUN: %{start} --plan-addresses --plan-verify | FileCheck %s
// RUN: not %{start} --plan-addresses=memory-limit-bytes=1024 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: %{start} --plan-addresses="memory-limit-bytes=1024 measure=true" | FileCheck %s
// RUN: %{start} --plan-addresses=strategy=standard --plan-verify | FileCheck %s --check-prefix=STANDARD
// RUN: not %{start} --plan-addresses=strategy=paged 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: %{start} --plan-addresses=strategy=cached --plan-verify | FileCheck %s
// RUN: not %{start} --plan-addresses --plan-addresses 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: not plc-opt %inputs/chain.mlir --plan-partition --plan-addresses 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %{start} --plan-addresses=most-values=0 --plan-verify | FileCheck %s --check-prefix=BLOCKS
// RUN: plc-opt %inputs/chain.mlir --plan-partition="stages=2 moments=1" --plan-infer-skips --plan-schedule \
// RUN:   --plan-insert-comm --plan-addresses --plan-verify | FileCheck %s --check-prefix=MOMENT

// Persistent buffers: parameters, gradient sites, moments of what the rank owns, inputs of the whole batch; then values.
// CHECK: plan.rank 0 {
// CHECK-NEXT: plan.layout persistent 832 arena 1216 bound 1216 {
// CHECK-NEXT: plan.buffer parameter "a.w" at 0 bytes 64 owned
// CHECK-NEXT: plan.buffer parameter "b.w" at 64 bytes 64 owned
// CHECK-NEXT: plan.buffer gradient "a.w" site 1 at 128 bytes 64
// CHECK: plan.buffer moment "a.w" site 0 at 320 bytes 64
// CHECK: plan.buffer input "x" at 576 bytes 256
// Micro-batch 1 of the input lies behind micro-batch 0.
// CHECK: plan.run @s0 F mb 0 at [576,
// CHECK: plan.run @s0 F mb 1 at [640,
// Rank 1 holds a copy of the parameter: no moments. Its loss is one value per micro-batch.
// CHECK: plan.rank 1 {
// CHECK: plan.buffer parameter "a.w" at 0 bytes 64{{$}}
// CHECK-NOT: moment
// CHECK: plan.buffer output "loss" at 128 bytes 16
// CHECK: plan.run @s1 F mb 0 at [{{.*}}, {{.*}}, 128]
// CHECK: plan.run @s1 F mb 1 at [{{.*}}, {{.*}}, 132]

// LIMIT: error: no plan fits: rank 0 needs 1.2 KiB, limit 1.0 KiB, largest part persistent buffers 832 B: [[#]] bytes are missing
// STANDARD: plan.layout persistent 832 arena 1216 bound 1216
// NAME: strategy 'paged' is not supported; there are 'auto', 'pooled', 'standard', 'cached' and 'minimal-peak'
// AGAIN: error: rank 0 has a layout already
// NONE: error: program 'p' is not scheduled

// Blocks: what F makes and W reads lies together, and is dropped together; a value that is sent lives by itself.
// BLOCKS: plan.frame

// An optimizer with one moment.
// MOMENT: plan.layout persistent 704
// MOMENT: plan.buffer moment "a.w" site 0 at 320 bytes 64
// MOMENT-NOT: moment {{.*}} site 1
