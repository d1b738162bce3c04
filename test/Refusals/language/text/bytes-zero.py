# run: plc-compile m.ein -o out.plcm
# expect: m.ein:2:10: error: byte 0x00 has no meaning here; is this a text file?
write("m.ein", b"dim N = 4\nmodel m(x\0[N]) -> y[N] { y = x }\n")
