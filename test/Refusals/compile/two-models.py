# run: plc-compile line.ein other.ein
# exit: 2
# expect: plc-compile: error: more than one model: 'line.ein' and 'other.ein'
