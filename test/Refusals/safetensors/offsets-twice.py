# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params p.safetensors
# expect: p.safetensors: error: header has 'data_offsets' twice (offset 8)
write("x.npy", npy())
write("t.npy", npy((8,)))
write("p.safetensors", safetensors(header=b'{"linear.w": {"dtype": "F32", "shape": [3], "data_offsets": [0, 4], "data_offsets": [0, 12]}}'))
