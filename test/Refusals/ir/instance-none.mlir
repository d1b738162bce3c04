// run: plc-opt %s --plan-solve-instances -o out.mlir
module {
}
// expect: 2:1: error: module has no problem: no 'plan.pack_instance', 'plan.partition_instance', 'plan.remat_instance' or 'plan.schedule_instance'
