# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.stash' op stands in 's0' with type 'tensor<4x3xf32>' but the route has 's1' and 'tensor<4x3xf32>'
# expect: two.ein:7:7: note: route declared here
write("m.mlir", ir("skips").replace(b'plan.route @r0 from @s0 to @s1', b'plan.route @r0 from @s1 to @s0', 1))
