# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params p.safetensors
# expect: p.safetensors: error: data has hash '5467b0da1d106495', expected '0000000000000000' (offset 123)
write("x.npy", npy())
write("t.npy", npy((8,)))
write("p.safetensors", safetensors({"__metadata__": {"hash": "0000000000000000"}, "linear.w": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}}))
