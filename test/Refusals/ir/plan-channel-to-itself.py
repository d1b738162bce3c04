# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.channel' op joins ranks 0 and 0 but its route joins ranks 0 and 1
write("m.mlir", ir("comm").replace(b'from 0 to 1', b'from 0 to 0', 1))
