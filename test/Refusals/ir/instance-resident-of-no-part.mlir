// run: plc-opt %s --plan-solve-instances -o out.mlir
plan.partition_instance @p stages 1 in_flight [1] {
  plan.part "a" ns 1 kept 0 scratch 0
  plan.resident in [3] owner 1 copy 1
}
// expect: 2:1: error: a resident has no user, or one beyond the 1 there are
