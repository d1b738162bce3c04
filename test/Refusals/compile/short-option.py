# run: plc-compile line.ein -x
# exit: 2
# expect: plc-compile: error: unknown option '-x'; see plc-compile --help
