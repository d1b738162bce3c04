# run: plc-opt m.mlir --plan-addresses -o out.mlir
# expect: two.ein:7:7: error: 'plan.route' op joins two ranks but no channel carries it: run '--plan-insert-comm' first
write("m.mlir", ir("schedule"))
