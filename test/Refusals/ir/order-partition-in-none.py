# run: plc-opt m.mlir --plan-partition=stages=0 -o out.mlir
# expect: two.ein:7:7: error: stages is 0 but must be positive
write("m.mlir", ir("kernels"))
