# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params p.safetensors
# expect: p.safetensors: error: not a .safetensors file: it begins with 45 00 00 00 00 00 00
write("x.npy", npy())
write("t.npy", npy((8,)))
write("p.safetensors", safetensors()[:7])
