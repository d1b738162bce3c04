# run: plc-compile m.ein -o out.plcm
# expect: m.ein:3:5: error: index 'i' has no extent: no tensor on the right has it; write 'i: N'
write("m.ein", b"dim N = 4\r\nmodel m(x[N]) -> y[N] {\r\n  y[i] = x[j]\r\n}\r\n")
