# run: plc-compile line.ein --emit=
# exit: 2
# expect: plc-compile: error: option '--emit' has an empty value
