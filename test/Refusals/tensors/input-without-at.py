# run: plc-run infer line.plcm --input x=x.npy --input t=@t.npy
# exit: 2
# expect: plc-run: error: found 'x=x.npy' for '--input', expected NAME=@FILE.npy, NAME=@FILE.safetensors:KEY or NAME=-
# expect: note: numbers stand for themselves: NAME=0.5, or NAME=1,2,3 for each element
write("x.npy", npy())
write("t.npy", npy((8,)))
