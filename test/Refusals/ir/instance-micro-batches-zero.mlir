// run: plc-opt %s --plan-solve-instances -o out.mlir
plan.schedule_instance @p micro_batches 0 schedule "1f1b" {
  plan.times rank 0 F 1
}
// expect: 2:1: error: has 0 micro-batches but needs 1 or more
