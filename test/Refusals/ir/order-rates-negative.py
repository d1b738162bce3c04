# run: plc-opt m.mlir --form-kernels=ns-per-byte=-1 -o out.mlir
# expect: two.ein:7:7: error: ns-per-byte is -1.000000e+00 but must be from 0 to 1000000
write("m.mlir", ir("numerics"))
