# run: plc-compile line.ein --set 'optimizer={kind='"'"'sgd'"'"'' -o out.plcm
# exit: 2
# expect: plc-compile: error: --set optimizer={kind='sgd': 'optimizer' is a table of keys such as 'optimizer.lr'
