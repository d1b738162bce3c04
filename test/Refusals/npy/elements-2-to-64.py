# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: the tensor has more than 2^59 elements (offset 73)
write("t.npy", npy((8,)))
write("x.npy", npy(header="{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }"))
