# run: plc-compile line.ein --output y --output y -o out.plcm
# exit: 2
# expect: plc-compile: error: --output 'y' is given twice
