# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --expect y=@y.npy --random-parameters
# expect: y.npy: error: tensor is f32[4], expected f32[8] for output 'y'
write("x.npy", npy())
write("t.npy", npy((8,)))
write("y.npy", npy((4,)))
