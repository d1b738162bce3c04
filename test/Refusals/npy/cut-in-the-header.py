# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: header of 118 bytes in a file of 60 (offset 8)
write("t.npy", npy((8,)))
write("x.npy", npy()[:60])
