# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params p.safetensors
# expect: p.safetensors: error: tensor 'linear.w' has element type 'F8_E4M3', expected one of F64, F32, I64, I32, BOOL, F16, BF16, I8, U8, I16, U16, U32
write("x.npy", npy())
write("t.npy", npy((8,)))
write("p.safetensors", safetensors({"linear.w": {"dtype": "F8_E4M3", "shape": [12], "data_offsets": [0, 12]}}))
