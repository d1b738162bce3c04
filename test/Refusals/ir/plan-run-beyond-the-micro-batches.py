# run: plc-opt m.mlir --plan-verify -o out.mlir
# expect: two.ein:7:7: error: 'plan.run' op runs micro-batch 2 where micro-batch 1 of 2 is next
write("m.mlir", ir("addresses").replace(b'F mb 1 at', b'F mb 2 at', 1))
