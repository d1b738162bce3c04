# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params p.safetensors
# expect: p.safetensors: error: header has 'linear.w' twice (offset 8)
write("x.npy", npy())
write("t.npy", npy((8,)))
write("p.safetensors", safetensors(header=b'{"linear.w": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}, "linear.w": {"dtype": "F32", "shape": [3], "data_offsets": [12, 24]}}', data=bytes(24)))
