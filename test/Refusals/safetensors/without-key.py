# run: plc-run infer line.plcm --input x=@x.safetensors --input t=@t.npy
# exit: 2
# expect: plc-run: error: found 'x.safetensors', expected x.safetensors:KEY
write("t.npy", npy((8,)))
write("x.safetensors", safetensors())
