# run: plc-opt m.mlir --plan-verify -o out.mlir
# expect: two.ein:7:7: error: 'plan.static' op has 12 bytes at offset -64 but needs 0 or more of both
write("m.mlir", ir("addresses").replace(b' at 0', b' at -64', 1))
