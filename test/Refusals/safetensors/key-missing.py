# run: plc-run infer line.plcm --input x=@x.safetensors:y --input t=@t.npy
# expect: x.safetensors: error: tensor 'y' is missing
write("t.npy", npy((8,)))
write("x.safetensors", safetensors())
