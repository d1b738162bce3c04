# run: plc-run train line.plcm --steps
# exit: 2
# expect: plc-run: error: option '--steps' has no value, expected N
