# run: plc-opt m.mlir --plan-verify -o out.mlir
# expect: two.ein:7:7: error: 'plan.rank' op never takes a step
write("m.mlir", ir("addresses").replace(b'      plan.step loc("two.ein":7:7)\n', b'', 1))
