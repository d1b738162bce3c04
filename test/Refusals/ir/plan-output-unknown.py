# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.output' op names 'lost', which is no output of the program
write("m.mlir", ir("partition").replace(b'plan.output "loss"', b'plan.output "lost"', 1))
