# run: plc-run train line.plcm --data x=d.npy --data t=t.npy --steps 1
# expect: d.npy: error: not a .npy file, but empty
write("d.npy", b"")
write("t.npy", b"")
