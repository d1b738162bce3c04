# run: plc-run train line.plcm --data t=t.npy --steps 1
# exit: 2
# expect: plc-run: error: input 'x' has no data: add --data x=FILE
write("t.npy", npy((8,)))
