# run: plc-run train line.plcm --steps 0
# exit: 2
# expect: plc-run: error: found '0' for '--steps', expected an integer of at least 1
