# run: plc-opt m.mlir --plan-verify -o out.mlir
# expect: two.ein:7:7: error: 'plan.send' op needs 'scale.F.0' of 'scale.0', F, micro-batch 0 in bytes 448 to 496 but it is not there
write("m.mlir", ir("addresses").replace(b'plan.send @c0 mb 0 at 384', b'plan.send @c0 mb 0 at 448', 1))
