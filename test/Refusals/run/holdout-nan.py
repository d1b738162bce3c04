# run: plc-run train line.plcm --holdout nan
# exit: 2
# expect: plc-run: error: found 'nan' for '--holdout', expected a number from 0 to below 1
