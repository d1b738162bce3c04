# run: plc-run train line.plcm --log ""
# expect: plc-run: error: option '--log' has an empty value, expected FILE
# exit: 2
