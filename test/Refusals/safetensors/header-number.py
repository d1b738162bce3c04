# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params p.safetensors
# expect: p.safetensors: error: header has the number 5.6784E86784, which no type holds (offset 65)
write("x.npy", npy())
write("t.npy", npy((8,)))
write("p.safetensors", safetensors(header=b'{"linear.w":{"dtype":"F32","shape":[1],"data_offsets":[0,5.6784E86784]}}'))
