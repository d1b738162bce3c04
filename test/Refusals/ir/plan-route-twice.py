# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: redefinition of symbol named 'r0'
# expect: two.ein:7:7: note: see existing symbol definition here
write("m.mlir", ir("skips").replace(b'plan.route @r1 ', b'plan.route @r0 ', 1))
