# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: unknown header key 'units' (offset 68)
write("t.npy", npy((8,)))
write("x.npy", npy(header="{'descr': '<f4', 'fortran_order': False, 'shape': (8, 3), 'units': 'm', }"))
