# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.task' op 'F' follows task 'F' but the order is F, B, W, once each
write("m.mlir", ir("partition").replace(b'plan.task  W', b'plan.task  F', 1))
