# run: plc-compile line.ein --set 'fusion={on=true}' -o out.plcm
# exit: 2
# expect: plc-compile: error: --set fusion={on=true}: 'fusion' needs true or false
