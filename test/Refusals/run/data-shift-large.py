# run: plc-run train line.plcm --data x=d.txt+9999999999999999999 --data t=d.txt
# exit: 2
# expect: plc-run: error: found '9999999999999999999' for '--data', expected an integer below 2^63
