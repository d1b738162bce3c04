# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.stash' op names 'r7', which is no route
write("m.mlir", ir("skips").replace(b'plan.stash @r0', b'plan.stash @r7', 1))
