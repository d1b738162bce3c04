// run: plc-opt %s --plan-solve-instances -o out.mlir
plan.schedule_instance @p micro_batches 1 schedule "1f1b" {
  plan.times rank 4611686018427387904 F 1
}
// expect: 2:1: error: stage 0 is on rank 4611686018427387904 of at most 1
