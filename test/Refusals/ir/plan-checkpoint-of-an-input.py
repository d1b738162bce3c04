# run: plc-opt m.mlir -o out.mlir
# expect: m.mlir:48:7: error: 'plan.checkpoint' op keeps a value that is no result of the stage's F
write("m.mlir", ir("skips").replace(b'plan.stash @r0, %4', b'plan.checkpoint %0 : tensor<4x3xf32>\nplan.stash @r0, %4', 1))
