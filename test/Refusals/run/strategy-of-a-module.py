# run: plc-run infer line.plcm --strategy s.toml
# exit: 2
# expect: plc-run: error: option '--strategy' does not apply to a compiled module
