# run: plc-opt m.mlir -o out.mlir
# expect: m.mlir:39:23: error: custom op 'plan.task' found 'G', expected one of F, B, W
write("m.mlir", ir("partition").replace(b'plan.task  F', b'plan.task  G', 1))
