# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.drop' op names task B of 's0', which does not exist
write("m.mlir", ir("addresses").replace(b'plan.drop @s0  F slot 1', b'plan.drop @s0  B slot 1', 1))
