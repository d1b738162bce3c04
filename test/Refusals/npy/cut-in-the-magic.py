# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: not a .npy file: it begins with 93 4e 55 4d 50
write("t.npy", npy((8,)))
write("x.npy", npy()[:5])
