# run: plc-run train line.plcm --data x=x.npy --data t=t.npy --holdout 0 --steps 1 --log absent/log
# expect: warning: nothing of this run is saved: '--save DIR' keeps its parameters
# expect: absent/log: error: cannot be written: No such file or directory
write("x.npy", npy())
write("t.npy", npy((8,)))
