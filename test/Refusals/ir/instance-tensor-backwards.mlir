// run: plc-opt %s --plan-solve-instances -o out.mlir
plan.partition_instance @p stages 1 in_flight [1] {
  plan.part "a" ns 1 kept 0 scratch 0
  plan.tensor from 7 to [0] ns 1 bytes 1
}
// expect: 2:1: error: a tensor names a part beyond the 1 there are
