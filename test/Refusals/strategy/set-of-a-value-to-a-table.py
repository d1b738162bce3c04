# run: plc-compile line.ein --set optimizer=sgd -o out.plcm
# exit: 2
# expect: plc-compile: error: --set optimizer=sgd: 'optimizer' is a table of keys such as 'optimizer.lr'
