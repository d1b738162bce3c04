# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params p.safetensors
# expect: p.safetensors: error: bytes after the last tensor (offset 89)
write("x.npy", npy())
write("t.npy", npy((8,)))
write("p.safetensors", safetensors(data=bytes(13)))
