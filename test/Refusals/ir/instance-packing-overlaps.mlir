// run: plc-opt %s --plan-solve-instances -o out.mlir
plan.pack_instance @p alignment 64 packed 128 bound 128 {
  plan.block 64 from 0 to 2 at 0
  plan.block 64 from 1 to 3 at 0
}
// expect: 2:1: error: block 0 and block 1 overlap
