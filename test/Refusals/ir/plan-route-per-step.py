# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.pop' op of a route per step lands in no static place
write("m.mlir", ir("skips").replace(b'@s1 per  micro_batch', b'@s1 per  step', 1))
