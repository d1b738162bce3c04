# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: redefinition of symbol named 'c0'
# expect: two.ein:7:7: note: see existing symbol definition here
write("m.mlir", ir("comm").replace(b'plan.channel @c1', b'plan.channel @c0', 1))
