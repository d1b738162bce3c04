# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: not a .npy file, but empty
write("t.npy", npy((8,)))
write("x.npy", b"")
