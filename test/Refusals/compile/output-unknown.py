# run: plc-compile line.ein --output z -o out.plcm
# exit: 2
# expect: line.ein:7:7: error: model 'line' has no output 'z'; it has 'loss', 'y'
