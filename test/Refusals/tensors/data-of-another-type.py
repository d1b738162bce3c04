# run: plc-run train line.plcm --data x=d.npy --data t=t.npy --steps 1
# expect: d.npy: error: rows of i32[80, 3], expected f32[80, 3] for input 'x'
write("t.npy", npy((80,)))
write("d.npy", npy((80, 3), "<i4"))
