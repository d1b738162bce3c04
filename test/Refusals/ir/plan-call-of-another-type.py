# run: plc-opt m.mlir -o out.mlir
# expect: m.mlir:6:16: error: use of value '%0' expects different type than prior uses: 'tensor<4x3xf32>' vs 'tensor<3x4xf32>'
# expect: m.mlir:5:5: note: prior use here
write("m.mlir", ir("kernels").replace(b'-> tensor<4x3xf32> loc', b'-> tensor<3x4xf32> loc', 1))
