// run: plc-opt %s --plan-solve-instances -o out.mlir
plan.partition_instance @p stages 0 in_flight [] {
  plan.part "a" ns 1 kept 0 scratch 0
}
// expect: 2:1: error: has 0 stages but needs 1 or more
