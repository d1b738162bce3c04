# run: plc-compile m.ein -o out.plcm
# expect: m.ein:2:674: error: the program has more than 262144 equations and iterations
write("m.ein", "dim N = 4\nmodel m(x[N]) -> y[N] { " + "repeat 9 { " * 60 + "}" * 60 + "  y = 2 * x }\n")
