# run: plc-run train line.plcm --stpes 3
# exit: 2
# expect: plc-run: error: unknown option '--stpes' for 'train'
