# run: plc-opt m.mlir --plan-addresses --plan-verify -o out.mlir
# expect: two.ein:7:7: error: 'plan.channel' op has tag 0 for micro-batch 0, which is also a tag of 'c0'
# expect: two.ein:7:7: note: micro-batch 0 of 'c0'
write("m.mlir", ir("comm").replace(b'tag 5', b'tag 0', 1))
