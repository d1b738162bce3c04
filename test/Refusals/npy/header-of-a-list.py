# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: header has no '{' here (offset 10)
write("t.npy", npy((8,)))
write("x.npy", npy(header="[1, 2]"))
