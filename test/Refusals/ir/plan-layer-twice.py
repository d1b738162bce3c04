# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.layer' op lists 'scale.0', which is listed already
write("m.mlir", ir("partition").replace(b'plan.layer "scale.1" of 1', b'plan.layer "scale.0" of 1', 1))
