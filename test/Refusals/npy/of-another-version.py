# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: .npy version 7 is not 1, 2 or 3 (offset 6)
write("t.npy", npy((8,)))
write("x.npy", npy(version=b"\7\0"))
