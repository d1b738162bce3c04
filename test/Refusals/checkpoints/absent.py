# run: plc-run train line.plcm --data x=x.npy --data t=t.npy --steps 5 --resume run
# expect: run: error: cannot be read: No such file or directory
write("t.npy", npy((80,)))
write("x.npy", npy((80, 3)))
