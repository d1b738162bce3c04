# run: plc-opt m.mlir --form-kernels -o out.mlir
# expect: two.ein:5:23: error: module has kernels already, such as 'scale.F.0'
write("m.mlir", ir("kernels"))
