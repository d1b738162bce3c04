# run: plc-run train line.plcm --data x=d.npy --data t=t.npy --steps 1
# expect: d.npy: error: found 0 held-out rows, expected at least 8 for a batch
# expect: note: a larger --holdout gives more; --holdout 0 trains without a held-out part
write("t.npy", npy((8,)))
write("d.npy", npy((4, 3)))
write("t.npy", npy((4,)))
