# run: plc-opt m.mlir -o out.mlir
# expect: m.mlir:84:22: error: custom op 'plan.static' found 'momentum', expected one of parameter, gradient, moment1, moment2, input, output
write("m.mlir", ir("addresses").replace(b'plan.static  input', b'plan.static  momentum', 1))
