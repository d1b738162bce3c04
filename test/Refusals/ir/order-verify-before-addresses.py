# run: plc-opt m.mlir --plan-verify -o out.mlir
# expect: two.ein:7:7: error: 'plan.rank' op has no layout, so nothing is known of its memory: run '--plan-addresses' first
write("m.mlir", ir("comm"))
