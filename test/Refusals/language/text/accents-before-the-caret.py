# run: plc-compile m.ein -o out.plcm
# expect: m.ein:2:29: error: unknown name 'z'
# expect: m.ein:2:29: note: as an index it would occur only as a number: 'sum[z: N](z)' sums over it
# expect: m.ein:3:7: error: character 'é' has no meaning outside comments
write("m.ein", "dim N = 4\nmodel m(x[N]) -> y[N] { y = z } # é\nmodel é".encode())
