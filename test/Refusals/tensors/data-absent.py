# run: plc-run train line.plcm --data x=d.npy --data t=t.npy --steps 1
# expect: d.npy: error: cannot be read: No such file or directory
