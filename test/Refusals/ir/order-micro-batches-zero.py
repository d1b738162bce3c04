# run: plc-opt m.mlir --ein-micro-batch=micro-batches=0 -o out.mlir
# expect: two.ein:7:7: error: number of micro-batches is 0 but must be at least 1
write("m.mlir", ir("precision"))
