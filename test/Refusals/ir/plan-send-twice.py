# run: plc-opt m.mlir --plan-verify -o out.mlir
# expect: two.ein:7:7: error: 'plan.send' op is for micro-batch 0 of 'c0' where 1 is next
write("m.mlir", ir("addresses").replace(b'plan.send @c0 mb 1', b'plan.send @c0 mb 0', 1))
