// run: plc-opt %s --plan-solve-instances -o out.mlir
plan.remat_instance @p policy "dynamic" interval 2 backward [] {
  plan.value 8
}
// expect: 2:1: error: 'plan.remat_instance' op has 'interval', which policy 'dynamic' ignores: it is for 'uniform'
