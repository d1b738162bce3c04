# run: plc-opt m.mlir --ein-differentiate -o out.mlir
# expect: two.ein:9:18: error: model 'two' has equations outside bodies: run '--ein-simplify' first
write("m.mlir", ir("ein"))
