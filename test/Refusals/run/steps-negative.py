# run: plc-run train line.plcm --steps -1
# exit: 2
# expect: plc-run: error: found '-1' for '--steps', expected an integer of at least 1
