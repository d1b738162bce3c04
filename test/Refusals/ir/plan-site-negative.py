# run: plc-opt m.mlir --plan-addresses --plan-verify -o out.mlir
# expect: two.ein:7:7: error: 'plan.site' op of 'scale.0.w' has index -1 but needs 0 or more
write("m.mlir", ir("comm").replace(b'plan.site @scale.0.w 0', b'plan.site @scale.0.w -1', 1))
