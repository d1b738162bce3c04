# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.stash' op stands in 's0' with type 'tensor<4x3xf32>' but the route has 's0' and 'tensor<3x4xf32>'
# expect: two.ein:7:7: note: route declared here
write("m.mlir", ir("skips").replace(b'carries "scale.0.F" : tensor<4x3xf32>', b'carries "scale.0.F" : tensor<3x4xf32>', 1))
