# run: plc-interpret infer line.ein --check-arena
# exit: 2
# expect: plc-interpret: error: option '--check-arena' has no meaning here: the interpreter has no arena
