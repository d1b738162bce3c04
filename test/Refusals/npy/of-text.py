# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: not a .npy file: it begins with 31 20 32 20 33 0a
write("t.npy", npy((8,)))
write("x.npy", "1 2 3\n")
