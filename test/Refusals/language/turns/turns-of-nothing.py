# run: plc-compile m.ein -o out.plcm
# expect: m.ein:2:25: error: the program has more than 262144 equations and iterations
write("m.ein", "dim N = 4\nmodel m(x[N]) -> y[N] { repeat 1152921504606846976 { }  y = 2 * x }\n")
