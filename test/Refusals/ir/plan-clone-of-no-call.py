# run: plc-opt m.mlir --plan-addresses --plan-verify -o out.mlir
# expect: two.ein:5:23: error: 'plan.call' op is a clone of call 9 of its stage's F, which does not exist
write("m.mlir", ir("comm").replace(b'path "scale.1" : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<3xf32>)', b'path "scale.1" recompute <9, 0> : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<3xf32>)', 1))
