# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:5:23: error: 'plan.call' op calls 'scall.F.0', which is no 'plan.kernel'
write("m.mlir", ir("kernels").replace(b'plan.call @scale', b'plan.call @scall', 1))
