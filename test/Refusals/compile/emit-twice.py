# run: plc-compile line.ein --emit=ein --emit=kernels
# exit: 2
# expect: plc-compile: error: option '--emit' is given twice
