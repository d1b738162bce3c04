# run: plc-compile m.ein -o out.plcm
# expect: m.ein:2:2839: error: nesting is deeper than 256
# expect: m.ein:3:1: error: found the end of the file, expected '}'
# expect: m.ein:2:903: note: to match this '{'
write("m.ein", "dim N = 4\nmodel m(x[N]) -> y[N] { " + "repeat 2 { " * 10**5 + "\n")
