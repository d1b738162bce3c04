# run: plc-interpret infer line.ein --strategy s.toml
# exit: 2
# expect: plc-interpret: error: option '--strategy' has no meaning here: the interpreter has no plan; give single keys by --set
