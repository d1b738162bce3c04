// run: plc-opt %s --plan-solve-instances -o out.mlir
plan.pack_instance @p alignment 64 {
  plan.block 64 from 2 to 1
}
// expect: 2:1: error: block 0 lives from 2 to 1
