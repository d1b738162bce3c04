# run: plc-opt m.mlir --plan-remat=policy=uniform -o out.mlir
# expect: two.ein:7:7: error: ranks do not run the program: stage 0, F of micro-batch 1000000 runs where micro-batch 1 is next
write("m.mlir", ir("schedule").replace(b'F mb 1', b'F mb 1000000', 1))
