# run: plc-opt m.mlir --plan-infer-skips -o out.mlir
# expect: two.ein:7:7: error: program 'two' has routes already
write("m.mlir", ir("skips"))
