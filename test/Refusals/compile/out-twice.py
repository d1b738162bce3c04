# run: plc-compile line.ein -o a.plcm -o b.plcm
# exit: 2
# expect: plc-compile: error: option '-o' is given twice
