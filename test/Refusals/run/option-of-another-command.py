# run: plc-run infer line.plcm --steps 3
# exit: 2
# expect: plc-run: error: option '--steps' does not apply to 'infer'
