# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params x.npy
# expect: x.npy: error: header of 379676406402707 bytes in a file of 224 (offset 0)
write("x.npy", npy())
write("t.npy", npy((8,)))
