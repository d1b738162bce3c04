# run: plc-compile line.ein --emit=module
# exit: 2
# expect: plc-compile: error: a module is written to a file: add -o OUT.plcm
