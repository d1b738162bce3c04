# run: plc-opt m.mlir --ein-micro-batch=micro-batches=2 -o out.mlir
# expect: two.ein:7:7: error: module has no 'ein.model': this pass comes before '--plan-partition'
write("m.mlir", ir("partition"))
