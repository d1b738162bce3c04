# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: tensor is f32[], expected f32[8, 3] for input 'x'
write("t.npy", npy((8,)))
write("x.npy", npy(()))
