# run: plc-opt m.mlir -o out.mlir
# expect: m.mlir:53:35: error: use of value '%0' expects different type than prior uses: 'tensor<4x3xf32>' vs 'tensor<4x3xf64>'
# expect: m.mlir:35:5: note: prior use here
write("m.mlir", ir("partition").replace(b'ns = 614 : i64} : tensor<4x3xf32>', b'ns = 614 : i64} : tensor<4x3xf64>', 1))
