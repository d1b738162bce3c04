# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params p.safetensors
# expect: p.safetensors: error: tensor 'linear.w' has 2^63 bytes or more (offset 8)
write("x.npy", npy())
write("t.npy", npy((8,)))
write("p.safetensors", safetensors({"linear.w": {"dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 12]}}))
