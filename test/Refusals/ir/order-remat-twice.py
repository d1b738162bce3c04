# run: plc-opt m.mlir --plan-remat -o out.mlir
# expect: two.ein:7:7: error: program 'two' has checkpoints already
write("m.mlir", ir("remat"))
