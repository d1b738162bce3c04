# run: plc-opt m.mlir --plan-insert-comm=max-slots=0 -o out.mlir
# expect: two.ein:7:7: error: max-slots is 0 but must be positive
write("m.mlir", ir("remat"))
