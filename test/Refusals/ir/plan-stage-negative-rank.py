# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.stage' op has rank -1 but needs 0 or more
write("m.mlir", ir("partition").replace(b'@s1 rank 1', b'@s1 rank -1', 1))
