# run: plc-interpret infer line.plcm
# expect: line.plcm: error: is neither a .ein model nor .mlir IR
