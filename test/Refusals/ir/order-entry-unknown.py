# run: plc-opt m.mlir --ein-entry=entry=learn -o out.mlir
# expect: two.ein:7:7: error: unknown entry 'learn' but expected 'train', 'eval' or 'infer'
write("m.mlir", ir("ein"))
