# run: plc-compile line.ein --explain-strategy=yes
# exit: 2
# expect: plc-compile: error: unknown option '--explain-strategy=yes'; see plc-compile --help
