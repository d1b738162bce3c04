# run: plc-opt m.mlir --ein-entry -o out.mlir
# expect: two.ein:7:7: error: module has no 'ein.model': this pass comes before '--plan-partition'
write("m.mlir", ir("schedule"))
