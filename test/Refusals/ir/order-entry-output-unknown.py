# run: plc-opt m.mlir "--ein-entry=entry=infer outputs=logits" -o out.mlir
# expect: two.ein:7:7: error: model 'two' has no output 'logits'; it has 'loss'
write("m.mlir", ir("ein"))
