# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params p.safetensors
# expect: p.safetensors: error: tensor 'linear.w' is missing; the nearest is 'linear.v'
write("x.npy", npy())
write("t.npy", npy((8,)))
write("p.safetensors", safetensors({"linear.v": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}}))
