# run: plc-run infer line.plcm -D B=4
# exit: 2
# expect: plc-run: error: option '-D' does not apply to a compiled module
