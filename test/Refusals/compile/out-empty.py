# run: plc-compile line.ein -o ''
# exit: 2
# expect: plc-compile: error: option '-o' has an empty value
