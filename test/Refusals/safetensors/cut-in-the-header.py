# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params p.safetensors
# expect: p.safetensors: error: header of 69 bytes in a file of 40 (offset 0)
write("x.npy", npy())
write("t.npy", npy((8,)))
write("p.safetensors", safetensors()[:40])
