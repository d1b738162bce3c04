// run: plc-opt %s --plan-solve-instances -o out.mlir
plan.partition_instance @p stages 2 in_flight [1, 1] cut [1, 2] slowest 1 bound 1 {
  plan.part "a" ns 1 kept 0 scratch 0
  plan.part "b" ns 1 kept 0 scratch 0
}
// expect: 2:1: error: stages have 3 parts but there are 2
