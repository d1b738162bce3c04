# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.channel' op carries 'r9', which is no route
write("m.mlir", ir("comm").replace(b'carries @r0', b'carries @r9', 1))
