# run: plc-opt m.mlir --plan-addresses -o out.mlir
# expect: two.ein:7:7: error: rank 0 has a layout already
write("m.mlir", ir("addresses"))
