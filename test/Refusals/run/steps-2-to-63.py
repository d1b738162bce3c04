# run: plc-run train line.plcm --steps 9223372036854775808
# exit: 2
# expect: plc-run: error: found '9223372036854775808' for '--steps', expected an integer below 2^63
