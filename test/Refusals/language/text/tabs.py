# run: plc-compile m.ein -o out.plcm
# expect: m.ein:3:10: error: unknown tensor 'z'
write("m.ein", b"dim N = 4\nmodel m(x[N]) -> y[N] {\n\ty[i] =\t\tz[i]\n}\n")
