# run: plc-interpret train line.ein --hang-timeout 5
# exit: 2
# expect: plc-interpret: error: option '--hang-timeout' has no meaning here: the interpreter has no ranks
