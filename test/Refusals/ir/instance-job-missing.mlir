// run: plc-opt %s --plan-solve-instances -o out.mlir
plan.schedule_instance @p micro_batches 2 schedule "mine" makespan 1 bound 1 {
  plan.times rank 0 F 1
  plan.order ["0F0"]
}
// expect: 2:1: error: stage 0, F of micro-batch 1 is missing
