# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params x.npy
# expect: x.npy: error: not a .safetensors file, but one array of numpy (.npy)
# expect: note: Python converts it: import numpy; from safetensors.numpy import save_file
# expect: note: save_file({'NAME': numpy.load('x.npy')}, 'x.safetensors'), with the parameter's name
write("x.npy", npy())
write("t.npy", npy((8,)))
