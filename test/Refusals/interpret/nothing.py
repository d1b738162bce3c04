# run: plc-interpret 
# exit: 2
# expect: plc-interpret: error: no command, expected one of train, eval, infer, check-gradients, einsum
