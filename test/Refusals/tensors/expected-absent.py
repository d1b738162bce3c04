# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --expect y=@y.npy --random-parameters
# expect: y.npy: error: cannot be read: No such file or directory
write("x.npy", npy())
write("t.npy", npy((8,)))
