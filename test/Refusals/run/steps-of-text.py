# run: plc-run train line.plcm --steps many
# exit: 2
# expect: plc-run: error: found 'many' for '--steps', expected an integer of at least 1
