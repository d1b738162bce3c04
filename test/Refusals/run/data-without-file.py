# run: plc-run train line.plcm --data x
# exit: 2
# expect: plc-run: error: found 'x' for '--data', expected IN=FILE or IN=FILE+n
