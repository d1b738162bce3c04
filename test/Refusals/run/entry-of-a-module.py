# run: plc-run infer line.plcm --entry line
# exit: 2
# expect: plc-run: error: option '--entry' does not apply to a compiled module
