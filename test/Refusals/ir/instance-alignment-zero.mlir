// run: plc-opt %s --plan-solve-instances -o out.mlir
plan.pack_instance @p alignment 0 {
  plan.block 64 from 0 to 1
}
// expect: 2:1: error: has alignment 0 but needs 1 or more
