# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:5:23: error: 'plan.yield' op yields 'tensor<4x3xf32>' but the kernel has results 'tensor<4x4xf32>'
write("m.mlir", ir("kernels").replace(b'-> tensor<4x3xf32>', b'-> tensor<4x4xf32>', 1))
