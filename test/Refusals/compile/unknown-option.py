# run: plc-compile line.ein --emitt=ein
# exit: 2
# expect: plc-compile: error: unknown option '--emitt=ein'; see plc-compile --help
