# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params p.safetensors
# expect: p.safetensors: error: header nests values in more than 256 levels (offset 1288)
write("x.npy", npy())
write("t.npy", npy((8,)))
write("p.safetensors", safetensors(header=b'{"a":' * 10**5 + b"1" + b"}" * 10**5))
