# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.input' op names 'z', which is no input of the program
write("m.mlir", ir("partition").replace(b'plan.input "x"', b'plan.input "z"', 1))
