# run: plc-compile line.ein --set =2 -o out.plcm
# exit: 2
# expect: plc-compile: error: --set =2: needs KEY=VALUE
