// run: plc-opt %s --plan-solve-instances -o out.mlir
plan.remat_instance @p policy "none" backward [1] kept [] cloned [] bytes 0 {
  plan.value 8
  plan.value 8
  plan.compute layer 0 reads [0] makes [1]
}
// expect: 2:1: error: backward reads value 1, which is neither kept nor computed again
