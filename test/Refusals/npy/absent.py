# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: cannot be read: No such file or directory
write("t.npy", npy((8,)))
