// run: plc-opt %s --plan-solve-instances -o out.mlir
plan.schedule_instance @p micro_batches 1 schedule "zigzag" {
  plan.times rank 0 F 1
}
// expect: 2:1: error: schedule 'zigzag' is not supported; there are 'gpipe' and '1f1b'
