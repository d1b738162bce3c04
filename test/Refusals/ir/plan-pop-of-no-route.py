# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.pop' op names 'r7', which is no route
write("m.mlir", ir("skips").replace(b'plan.pop @r1', b'plan.pop @r7', 1))
