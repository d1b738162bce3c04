# run: plc-compile m.ein -o out.plcm
# expect: m.ein:1:1: error: byte 0xff is not valid UTF-8
# expect: m.ein:1:4: error: byte 0x00 has no meaning here; is this a text file?
write("m.ein", "dim N = 4\n".encode("utf-16"))
