# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params p.safetensors
# expect: p.safetensors: error: tensor 'linear.w' is missing; the nearest is 'linear.v'
# expect: note: the file has 1 of other names: 'linear.v'; '--map FILE.toml' says which of them is which parameter, as the maps in examples/maps do
write("x.npy", npy())
write("t.npy", npy((8,)))
write("p.safetensors", safetensors({"linear.v": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}}))
