# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.channel' op has 0 slots and tag 0 but needs 1 slot or more and a tag from 0
write("m.mlir", ir("comm").replace(b'slots 1', b'slots 0', 1))
