# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.post_recv' op names 'c5', which is no channel
write("m.mlir", ir("addresses").replace(b'plan.post_recv @c1', b'plan.post_recv @c5', 1))
