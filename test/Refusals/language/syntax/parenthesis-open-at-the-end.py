# run: plc-compile m.ein -o out.plcm
# expect: m.ein:3:14: error: found the end of the file, expected an expression
# expect: m.ein:3:10: note: '(' is open since here
# expect: m.ein:4:1: error: found the end of the file, expected '}'
# expect: m.ein:2:23: note: to match this '{'
write("m.ein", "dim N = 4\nmodel m(x[N]) -> y[N] {\n  y = exp(x +\n")
