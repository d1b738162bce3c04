# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.layout' op has 384 static bytes, bound 320 and arena 320, which do not ascend
write("m.mlir", ir("addresses").replace(b'arena 640 bound 640', b'arena 320 bound 320', 1))
