# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.layer' op is of layer 2 where 0 or 1 is expected
write("m.mlir", ir("partition").replace(b'plan.layer "scale.1" of 1', b'plan.layer "scale.1" of 2', 1))
