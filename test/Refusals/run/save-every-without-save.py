# run: plc-run train line.plcm --save-every 3
# exit: 2
# expect: plc-run: error: option '--save-every' needs '--save DIR'
