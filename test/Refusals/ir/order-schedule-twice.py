# run: plc-opt m.mlir --plan-schedule -o out.mlir
# expect: two.ein:7:7: error: program 'two' is scheduled already
write("m.mlir", ir("schedule"))
