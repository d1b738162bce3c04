# run: plc-opt m.mlir --plan-partition -o out.mlir
# expect: two.ein:7:7: error: module has no 'ein.model' to cut: this pass runs once
write("m.mlir", ir("partition"))
