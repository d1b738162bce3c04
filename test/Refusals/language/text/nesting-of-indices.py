# run: plc-compile m.ein -o out.plcm
# expect: m.ein:2:556: error: nesting is deeper than 256
write("m.ein", "dim N = 4\nmodel m(x[N], t: i32[N]) -> y[N] { y[i] = x[" + "t[" * 10**5 + "i" + "]" * 10**5 + "] }\n")
