# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: an extent is not an integer from 0 to 2^63-1 (offset 61)
write("t.npy", npy((8,)))
write("x.npy", npy(header="{'descr': '<f4', 'fortran_order': False, 'shape': (-8, 3), }"))
