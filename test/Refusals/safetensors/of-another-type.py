# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params p.safetensors
# expect: p.safetensors: error: tensor 'linear.w' is i32[3], expected f32[3]
write("x.npy", npy())
write("t.npy", npy((8,)))
write("p.safetensors", safetensors({"linear.w": {"dtype": "I32", "shape": [3], "data_offsets": [0, 12]}}, bytes(12)))
