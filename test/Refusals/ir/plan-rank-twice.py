# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.rank' op has index 0, as another one has
write("m.mlir", ir("comm").replace(b'plan.rank 1 ', b'plan.rank 0 ', 1))
