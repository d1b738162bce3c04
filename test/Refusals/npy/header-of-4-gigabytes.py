# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: header of 4294967295 bytes in a file of 13 (offset 8)
write("t.npy", npy((8,)))
write("x.npy", b"\x93NUMPY\2\0\xff\xff\xff\xff{")
