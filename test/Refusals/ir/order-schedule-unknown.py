# run: plc-opt m.mlir --plan-schedule=schedule=zigzag -o out.mlir
# expect: two.ein:7:7: error: schedule 'zigzag' is not supported; there are 'gpipe' and '1f1b'
write("m.mlir", ir("skips"))
