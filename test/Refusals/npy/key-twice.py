# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: header key 'shape' is given twice (offset 66)
write("t.npy", npy((8,)))
write("x.npy", npy(header="{'descr': '<f4', 'fortran_order': False, 'shape': (8,), 'shape': (3,), }"))
