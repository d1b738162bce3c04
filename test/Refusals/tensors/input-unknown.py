# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --input z=@t.npy
# exit: 2
# expect: plc-run: error: unknown input 'z', expected one of 'x', 't'
write("x.npy", npy())
write("t.npy", npy((8,)))
