# run: plc-opt m.mlir -o out.mlir
# expect: m.mlir:40:35: error: use of value '%2' expects different type than prior uses: 'tensor<4x3xf32>' vs 'tensor<3x4xf32>'
# expect: m.mlir:36:7: note: prior use here
write("m.mlir", ir("partition").replace(b'plan.input "x" : tensor<4x3xf32>', b'plan.input "x" : tensor<3x4xf32>', 1))
