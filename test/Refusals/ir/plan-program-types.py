# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.program' op input 'x' is 'f32' but needs to be a tensor of 1 to 2^48 elements f32, f64, i32, i64 or i1
write("m.mlir", ir("partition").replace(b'arg_types = [tensor<4x3xf32>]', b'arg_types = [f32]', 1))
