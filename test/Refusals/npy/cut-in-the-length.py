# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: the file ends in its header (offset 11)
write("t.npy", npy((8,)))
write("x.npy", npy(version=b"\2\0")[:11])
