# run: plc-opt m.mlir --plan-partition=stages=9 -o out.mlir
# expect: two.ein:7:7: error: no plan fits: 9 stages but model 'two' has 2 layer calls to cut
write("m.mlir", ir("kernels"))
