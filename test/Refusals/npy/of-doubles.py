# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: element [0, 1] is 1e+300, which f32 of input 'x' cannot hold
write("t.npy", npy((8,)))
write("x.npy", npy(dtype="<f8", data=struct.pack("<2d", 0, 1e300) + bytes(8 * 22)))
