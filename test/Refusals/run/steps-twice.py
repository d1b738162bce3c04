# run: plc-run train line.plcm --steps 3 --steps 4
# exit: 2
# expect: plc-run: error: option '--steps' is given twice
