# run: plc-opt m.mlir --convert-kernels-to-loops -o out.mlir
# expect: two.ein:7:7: error: module has no 'plan.kernel': run '--form-kernels' first
write("m.mlir", ir("ein"))
