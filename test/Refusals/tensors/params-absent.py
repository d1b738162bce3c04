# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params run
# expect: run: error: cannot be read: No such file or directory
write("x.npy", npy())
write("t.npy", npy((8,)))
