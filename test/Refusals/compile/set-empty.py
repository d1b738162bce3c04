# run: plc-compile line.ein --set= -o out.plcm
# exit: 2
# expect: plc-compile: error: --set : needs KEY=VALUE
