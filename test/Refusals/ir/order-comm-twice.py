# run: plc-opt m.mlir --plan-insert-comm -o out.mlir
# expect: two.ein:7:7: error: 'plan.send' op stands on rank 0 already, but messages are inserted between runs alone
write("m.mlir", ir("comm"))
