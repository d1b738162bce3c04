# run: plc-opt m.mlir --ein-fix-numerics -o out.mlir
# expect: two.ein:5:23: error: result is 'tensor<8x3x!ein.real>' but precision must be chosen: run '--ein-precision' first
write("m.mlir", ir("ein"))
