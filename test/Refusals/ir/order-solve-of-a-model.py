# run: plc-opt m.mlir --plan-solve-instances -o out.mlir
# expect: two.ein:7:7: error: module has no problem: no 'plan.pack_instance', 'plan.partition_instance', 'plan.remat_instance' or 'plan.schedule_instance'
write("m.mlir", ir("kernels"))
