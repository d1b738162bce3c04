# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.step' op stands in a 'plan.task', which holds calls
write("m.mlir", ir("comm").replace(b'plan.yield loc', b'plan.step loc', 1))
