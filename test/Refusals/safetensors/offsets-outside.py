# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params p.safetensors
# expect: p.safetensors: error: tensor 'linear.w' lies outside the file's 12 bytes of data (offset 8)
write("x.npy", npy())
write("t.npy", npy((8,)))
write("p.safetensors", safetensors({"linear.w": {"dtype": "F32", "shape": [3], "data_offsets": [4, 16]}}))
