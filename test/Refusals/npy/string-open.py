# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: a string of the header does not end (offset 12)
write("t.npy", npy((8,)))
write("x.npy", npy(header="{'descr"))
