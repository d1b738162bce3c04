# run: plc-opt m.mlir --plan-verify -o out.mlir
# expect: two.ein:7:7: error: 'plan.wait_send' op stands on rank 0 but this end of 'c1' is rank 1
write("m.mlir", ir("addresses").replace(b'plan.wait_send @c0 mb 0', b'plan.wait_send @c1 mb 0', 1))
