# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params p.safetensors
# expect: p.safetensors: error: data has a gap or an overlap (offset 143)
write("x.npy", npy())
write("t.npy", npy((8,)))
write("p.safetensors", safetensors({"linear.w": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}, "b": {"dtype": "F32", "shape": [3], "data_offsets": [4, 16]}}, bytes(16)))
