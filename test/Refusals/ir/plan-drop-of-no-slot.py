# run: plc-opt m.mlir --plan-verify -o out.mlir
# expect: two.ein:7:7: error: 'plan.drop' op names slot 4 of a task of 2 slots
write("m.mlir", ir("addresses").replace(b'F slot 1 mb 0 at 384', b'F slot 4 mb 0 at 384', 1))
