# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: found 95 bytes of data, expected 96 for f32[8, 3] (offset 128)
write("t.npy", npy((8,)))
write("x.npy", npy()[:-1])
