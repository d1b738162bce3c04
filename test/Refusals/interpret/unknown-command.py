# run: plc-interpret generate line.ein
# exit: 2
# expect: plc-interpret: error: unknown command 'generate', expected one of train, eval, infer, check-gradients, einsum
