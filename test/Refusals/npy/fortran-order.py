# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: 'fortran_order' is neither True nor False (offset 44)
write("t.npy", npy((8,)))
write("x.npy", npy(header="{'descr': '<f4', 'fortran_order': 1, 'shape': (8, 3), }"))
