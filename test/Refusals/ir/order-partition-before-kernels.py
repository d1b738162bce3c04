# run: plc-opt m.mlir --plan-partition -o out.mlir
# expect: two.ein:5:23: error: 'ein.map' op stands in body 'scale.1.F', which must hold kernel calls alone: run '--form-kernels' first
write("m.mlir", ir("numerics"))
