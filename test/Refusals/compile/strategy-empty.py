# run: plc-compile line.ein --strategy= -o out.plcm
# exit: 2
# expect: plc-compile: error: option '--strategy' has an empty value
