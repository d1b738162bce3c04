# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --params run
# expect: run: error: holds none of 'params.safetensors', 'latest/params.safetensors', 'model.safetensors', 'model.safetensors.index.json'
write("x.npy", npy())
write("t.npy", npy((8,)))
import os
os.mkdir("run")
