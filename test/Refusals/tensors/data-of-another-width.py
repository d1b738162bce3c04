# run: plc-run train line.plcm --data x=d.npy --data t=t.npy --steps 1
# expect: d.npy: error: rows of f32[64, 4], expected f32[64, 3] for input 'x'
write("t.npy", npy((8,)))
write("d.npy", npy((64, 4)))
