# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:5:23: error: 'plan.kernel' op has 2 arguments and 1 results but says 5 accumulators
write("m.mlir", ir("kernels").replace(b'num_accumulators = 0 : i64} {\n    %0 = ein.map', b'num_accumulators = 5 : i64} {\n    %0 = ein.map', 1))
