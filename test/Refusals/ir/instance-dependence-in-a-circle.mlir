// run: plc-opt %s --plan-solve-instances -o out.mlir
plan.schedule_instance @p micro_batches 1 schedule "1f1b" {
  plan.times rank 0 F 1
  plan.times rank 1 F 1
  plan.dependence 0 F to 1 F ns 1
  plan.dependence 1 F to 0 F ns 1
}
// expect: 2:1: error: tasks of one micro-batch wait for each other: 1.F 0.F
