# run: plc-run train line.plcm --data x=x.npy --data t=t.npy --steps 5 --resume run
# expect: run: error: holds neither 'state.safetensors' nor 'latest/state.safetensors'
write("t.npy", npy((80,)))
write("x.npy", npy((80, 3)))
import os
os.makedirs("run/step-3")
