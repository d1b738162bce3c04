# run: plc-run train line.plcm --holdout 1
# exit: 2
# expect: plc-run: error: found '1' for '--holdout', expected a number from 0 to below 1
