# run: plc-opt m.mlir --plan-verify -o out.mlir
# expect: two.ein:7:7: error: program 'two' is not scheduled: run '--plan-schedule' first
write("m.mlir", ir("skips"))
