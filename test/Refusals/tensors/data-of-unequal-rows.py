# run: plc-run train line.plcm --data x=d.npy --data t=t.npy --steps 1
# expect: t.npy: error: found 64 rows, expected 80 as in 'd.npy'
write("t.npy", npy((64,)))
write("d.npy", npy((80, 3)))
