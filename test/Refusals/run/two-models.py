# run: plc-run train line.plcm other.plcm
# exit: 2
# expect: plc-run: error: found a second file 'other.plcm' beside 'line.plcm', expected one
