# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params run
# expect: run: error: holds neither 'params.safetensors' nor 'latest/params.safetensors'
write("x.npy", npy())
write("t.npy", npy((8,)))
import os
os.mkdir("run")
