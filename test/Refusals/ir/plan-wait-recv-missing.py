# run: plc-opt m.mlir --plan-verify -o out.mlir
# expect: two.ein:7:7: error: 'plan.wait_recv' op is for micro-batch 1 of 'c1' where 0 is next
write("m.mlir", ir("addresses").replace(b'plan.wait_recv @c1 mb 0 loc("two.ein":7:7)\n', b'', 1))
