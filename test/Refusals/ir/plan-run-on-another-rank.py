# run: plc-opt m.mlir --plan-addresses --plan-verify -o out.mlir
# expect: two.ein:7:7: error: 'plan.run' op stands on rank 1 but stage 's0' is on rank 0
write("m.mlir", ir("comm").replace(b'plan.run @s1  F mb 0', b'plan.run @s0  F mb 0', 1))
