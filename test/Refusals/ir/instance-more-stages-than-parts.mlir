// run: plc-opt %s --plan-solve-instances -o out.mlir
plan.partition_instance @p stages 2 in_flight [1, 1] {
  plan.part "a" ns 1 kept 0 scratch 0
}
// expect: 2:1: error: no plan fits: 2 stages but only 1 parts to cut
