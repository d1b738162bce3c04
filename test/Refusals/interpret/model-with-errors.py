# run: plc-interpret infer bad.ein
# expect: bad.ein:2:29: error: unknown name 'z'
# expect: bad.ein:2:29: note: as an index it would occur only as a number: 'sum[z: N](z)' sums over it
write("bad.ein", "dim N = 4\nmodel m(x[N]) -> y[N] { y = z }\n")
