# run: plc-opt m.mlir -o out.mlir
# expect: two.ein:7:7: error: 'plan.yield' op yields 0 values but its parent has 1 results
write("m.mlir", ir("partition").replace(b'plan.yield %5 : tensor<4x3xf32>', b'plan.yield', 1))
