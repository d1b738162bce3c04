# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy --output y=@y.npy
# expect: y.npy: error: cannot be written: Is a directory
write("x.npy", npy())
write("t.npy", npy((8,)))
import os
os.mkdir("y.npy")
