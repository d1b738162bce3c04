# run: plc-run train line.plcm --seed -1
# exit: 2
# expect: plc-run: error: found '-1' for '--seed', expected an integer of at least 0
