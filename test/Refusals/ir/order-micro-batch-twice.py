# run: plc-opt m.mlir --ein-micro-batch=micro-batches=2 -o out.mlir
# expect: two.ein:7:7: error: model 'two' is already cut in 2 micro-batches
write("m.mlir", ir("micro-batch"))
