# run: plc-opt m.mlir --plan-addresses=strategy=tight -o out.mlir
# expect: two.ein:7:7: error: strategy 'tight' is not supported; there are 'pooled' and 'standard'
write("m.mlir", ir("comm"))
