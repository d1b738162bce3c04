# run: plc-opt m.mlir --plan-addresses=memory-limit-bytes=100 -o out.mlir
# expect: two.ein:7:7: error: no plan fits: rank 0 needs 640 B, limit 100 B, largest part static area 384 B
write("m.mlir", ir("comm"))
