# run: plc-run train line.plcm --data x=x.npy --data t=t.npy --holdout 0 --steps 1 --save d.txt
# expect: d.txt: error: checkpoint cannot be written: Not a directory
write("d.txt", "text")
write("x.npy", npy())
write("t.npy", npy((8,)))
