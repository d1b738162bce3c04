# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --input t=@t.npy
# exit: 2
# expect: plc-run: error: input 't' is given twice
write("x.npy", npy())
write("t.npy", npy((8,)))
