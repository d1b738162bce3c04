# run: plc-opt m.mlir --ein-micro-batch=micro-batches=9 -o out.mlir
# expect: two.ein:7:7: error: batch has 8 samples but 9 micro-batches need more
write("m.mlir", ir("precision"))
