# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.stage' op has rank 9223372036854775807 but ranks of 2 stages end at 1
write("m.mlir", ir("partition").replace(b'@s1 rank 1', b'@s1 rank 9223372036854775807', 1))
