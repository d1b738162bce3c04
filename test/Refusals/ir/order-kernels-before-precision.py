# run: plc-opt m.mlir --form-kernels -o out.mlir
# expect: two.ein:5:23: error: 'ein.map' op has elements of type '!ein.real': run '--ein-precision' first
write("m.mlir", ir("ein"))
