// run: plc-opt %s --plan-solve-instances -o out.mlir
plan.schedule_instance @p micro_batches 1 schedule "1f1b" {
  plan.times rank 0 F 1
  plan.dependence 0 F to 5 F ns 1
}
// expect: 2:1: error: a dependence names stage 5's F, which does not exist
