# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:5:23: error: 'plan.kernel' op has a negative cost: 12 flops, 108 bytes, -304 ns
write("m.mlir", ir("kernels").replace(b'ns = 304', b'ns = -304', 1))
