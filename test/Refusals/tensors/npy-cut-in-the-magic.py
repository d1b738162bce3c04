# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: not a .npy file (offset 0)
write("t.npy", npy((8,)))
write("x.npy", npy()[:5])
