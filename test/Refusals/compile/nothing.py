# run: plc-compile 
# exit: 2
# expect: plc-compile: error: no model; see plc-compile --help
