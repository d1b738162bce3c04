# run: plc-compile m.ein -o out.plcm
# expect: m.ein:2:1056: error: nesting is deeper than 256
write("m.ein", "dim N = 4\nmodel m(x[N]) -> y[N] { y = " + "exp(" * 10**6 + "x" + ")" * 10**6 + " }\n")
