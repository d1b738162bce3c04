# run: plc-opt m.mlir --form-kernels -o out.mlir
# expect: two.ein:5:23: error: 'ein.reduce' op has no order: run '--ein-fix-numerics' first
write("m.mlir", ir("gradient"))
