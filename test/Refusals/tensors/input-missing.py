# run: plc-run infer line.plcm --input t=@t.npy
# exit: 2
# expect: plc-run: error: input 'x' (f32[8, 3]) is not given: add --input x=@FILE
write("t.npy", npy((8,)))
