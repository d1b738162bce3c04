# run: plc-opt m.mlir --plan-to-llvm -o out.mlir
# expect: two.ein:7:7: error: module has no 'plan.kernel': run '--form-kernels' first
write("m.mlir", ir("numerics"))
