# run: plc-opt m.mlir --ein-differentiate -o out.mlir
# expect: two.ein:8:18: error: model 'two' is differentiated already: body 'scale.1.F' has role 'F'
write("m.mlir", ir("gradient"))
