# run: plc-opt m.mlir --plan-verify -o out.mlir
# expect: two.ein:7:7: error: 'plan.wait_recv' op waits for micro-batch 0 of 'c0' before it is started
write("m.mlir", ir("addresses").replace(b'plan.post_recv @c0 mb 0 at 320', b'plan.wait_recv @c0 mb 0', 1))
