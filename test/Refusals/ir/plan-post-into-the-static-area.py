# run: plc-opt m.mlir --plan-verify -o out.mlir
# expect: two.ein:7:7: error: 'plan.post_recv' op puts what 'r1' brings, micro-batch 0 to bytes 64 to 112, in the static area, which ends at 384
write("m.mlir", ir("addresses").replace(b'plan.post_recv @c1 mb 0 at 448', b'plan.post_recv @c1 mb 0 at 64', 1))
