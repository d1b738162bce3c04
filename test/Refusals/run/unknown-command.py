# run: plc-run trian line.plcm
# exit: 2
# expect: plc-run: error: unknown command 'trian', expected one of train, eval, infer, generate, bench, params, einsum, tokenize, inspect, simulate
