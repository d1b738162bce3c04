# run: plc-opt m.mlir --plan-verify -o out.mlir
# expect: two.ein:7:7: error: 'plan.static' op at 0 is not aligned, or overlaps the one that ends at 12
write("m.mlir", ir("addresses").replace(b'at 64 bytes 12', b'at 0 bytes 12', 1))
