# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: only C order ('fortran_order': False) is supported (offset 44)
write("t.npy", npy((8,)))
write("x.npy", npy(header="{'descr': '<f4', 'fortran_order': True, 'shape': (8, 3), }"))
