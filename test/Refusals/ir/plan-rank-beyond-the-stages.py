# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.rank' op has index 7 but the stages use ranks 0 to 1
write("m.mlir", ir("comm").replace(b'plan.rank 1 ', b'plan.rank 7 ', 1))
