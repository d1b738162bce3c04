# run: plc-opt m.mlir --ein-to-plan=program=learn -o out.mlir
# expect: <unknown>:0: error: program is train, eval or infer, found 'learn'
write("m.mlir", ir("ein"))
