# run: plc-opt m.mlir --plan-verify -o out.mlir
# expect: two.ein:7:7: error: 'plan.run' op has 1 addresses but the task has 2 slots
write("m.mlir", ir("addresses").replace(b'F mb 0 at [256, 384]', b'F mb 0 at [256]', 1))
