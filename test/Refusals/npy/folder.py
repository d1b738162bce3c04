# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: is a directory, not a file
write("t.npy", npy((8,)))
import os
os.mkdir("x.npy")
