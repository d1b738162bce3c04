# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params p.safetensors
# expect: p.safetensors: error: header is not a JSON object (offset 8)
write("x.npy", npy())
write("t.npy", npy((8,)))
write("p.safetensors", safetensors(header=b"[]"))
