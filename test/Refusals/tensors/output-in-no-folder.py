# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --output y=@absent/y.npy
# expect: absent/y.npy: error: cannot be written: No such file or directory
write("x.npy", npy())
write("t.npy", npy((8,)))
