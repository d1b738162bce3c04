# run: plc-opt m.mlir --ein-simplify -o out.mlir
# expect: two.ein:7:7: error: module has no 'ein.func' or 'ein.model': this pass comes before '--plan-partition'
write("m.mlir", ir("partition"))
