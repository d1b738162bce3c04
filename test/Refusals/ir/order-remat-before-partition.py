# run: plc-opt m.mlir --plan-remat -o out.mlir
# expect: two.ein:7:7: error: module has no 'plan.program': run '--plan-partition' first
write("m.mlir", ir("kernels"))
