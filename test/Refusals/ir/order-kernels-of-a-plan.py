# run: plc-opt m.mlir --form-kernels -o out.mlir
# expect: two.ein:7:7: error: module has no 'ein.func' whose equations kernels could hold: this pass comes before '--plan-partition'
write("m.mlir", ir("partition"))
