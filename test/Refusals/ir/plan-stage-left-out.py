# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.program' op has no stage on rank 1 of 3
write("m.mlir", ir("partition").replace(b'@s1 rank 1', b'@s1 rank 2', 1))
