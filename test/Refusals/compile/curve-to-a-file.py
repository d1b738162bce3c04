# run: plc-compile line.ein --plan-remat-curve -o out.plcm
# exit: 2
# expect: plc-compile: error: --plan-remat-curve prints what each byte of a budget costs, and takes no -o
