# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params p.safetensors
# expect: p.safetensors: error: header is not JSON (offset 19)
write("x.npy", npy())
write("t.npy", npy((8,)))
write("p.safetensors", safetensors(header=b'{"linear.w\xff": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}}'))
