# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --output z=@z.npy
# exit: 2
# expect: plc-run: error: unknown output 'z', expected one of 'loss', 'y'
write("x.npy", npy())
write("t.npy", npy((8,)))
