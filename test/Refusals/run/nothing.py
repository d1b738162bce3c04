# run: plc-run 
# exit: 2
# expect: plc-run: error: no command, expected one of train, eval, infer, generate, bench, params, einsum, tokenize, inspect, simulate
