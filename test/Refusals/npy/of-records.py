# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: header has no string here (offset 20)
write("t.npy", npy((8,)))
write("x.npy", npy(header="{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (8, 3), }"))
