# run: plc-compile line.ein --entry= -o out.plcm
# exit: 2
# expect: plc-compile: error: option '--entry' has an empty value
