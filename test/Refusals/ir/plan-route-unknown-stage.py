# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.pop' op stands in 's1' with type 'tensor<4x3xf32>' but the route has 's2' and 'tensor<4x3xf32>'
# expect: two.ein:7:7: note: route declared here
write("m.mlir", ir("skips").replace(b'plan.route @r0 from @s0 to @s1', b'plan.route @r0 from @s0 to @s2', 1))
