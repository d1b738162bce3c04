# run: plc-opt m.mlir --plan-schedule -o out.mlir
# expect: two.ein:7:7: error: stage 's0' has values that cross cuts without routes: run '--plan-infer-skips' first
write("m.mlir", ir("partition"))
