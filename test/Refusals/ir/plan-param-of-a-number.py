# run: plc-opt m.mlir -o out.mlir
# expect: m.mlir:37:42: error: custom op 'plan.param' invalid kind of type specified: expected builtin.tensor, but found 'f32'
write("m.mlir", ir("partition").replace(b'plan.param @scale.0.w owned : tensor<3xf32>', b'plan.param @scale.0.w owned : f32', 1))
