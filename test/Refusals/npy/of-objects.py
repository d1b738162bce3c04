# run: plc-run infer line.plcm --input x=@x.npy --input t=@t.npy
# expect: x.npy: error: element type '|O' is not one of '<f8' '<f4' '<i8' '<i4' '|b1' '<f2' '|i1' '|u1' '<i2' '<u2' '<u4' (offset 20)
write("t.npy", npy((8,)))
write("x.npy", npy(header="{'descr': '|O', 'fortran_order': False, 'shape': (8, 3), }"))
