# run: plc-opt m.mlir -o out.mlir
# expect: m.mlir:74:41: error: custom op 'plan.route' found 'year', expected one of micro_batch, step
write("m.mlir", ir("skips").replace(b'@s1 per  micro_batch', b'@s1 per  year', 1))
