# run: plc-compile line.ein --plan-remat-curve --emit schedule
# exit: 2
# expect: plc-compile: error: --plan-remat-curve prints what each byte of a budget costs, and takes no --emit
