# run: plc-run train line.plcm --data x=x.npy --data t=t.npy --steps 5 --resume run
# expect: run/latest/state.safetensors: error: optimizer '' differs from the model's 'adamw'
write("t.npy", npy((80,)))
write("x.npy", npy((80, 3)))
import os
os.makedirs("run/step-3")
os.symlink("step-3", "run/latest")
write("run/step-3/params.safetensors", safetensors())
write("run/step-3/state.safetensors", safetensors(header=b"{}", data=b""))
