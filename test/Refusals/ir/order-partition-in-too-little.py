# run: plc-opt m.mlir --plan-partition=memory-limit-bytes=100 -o out.mlir
# expect: two.ein:7:7: error: no plan fits: stage 0 needs 412 B, limit 100 B, largest part 'scale.1' 268 B
write("m.mlir", ir("kernels"))
