# run: plc-compile m.ein -o out.plcm
# expect: m.ein:2:10: error: byte 0xff is not valid UTF-8
write("m.ein", b"dim N = 4\nmodel m(x\xff[N]) -> y[N] { y = x }\n")
