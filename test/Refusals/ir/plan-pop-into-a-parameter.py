# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.pop' op of a route per micro_batch lands in a static place
write("m.mlir", ir("skips").replace(b'plan.pop @r1 :', b'plan.pop @r1 into %1 : tensor<3xf32> :', 1))
