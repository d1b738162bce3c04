# run: plc-opt m.mlir --plan-verify -o out.mlir
# expect: two.ein:7:7: error: 'plan.layout' op has no place for parameter 'scale.0.w' of 12 bytes, owned
write("m.mlir", ir("addresses").replace(b'at 0 bytes 12', b'at 0 bytes 16', 1))
