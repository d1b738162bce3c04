# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params p.safetensors
# expect: p.safetensors: error: not a .safetensors file, but empty
write("x.npy", npy())
write("t.npy", npy((8,)))
write("p.safetensors", b"")
