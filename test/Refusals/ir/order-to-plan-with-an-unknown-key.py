# run: plc-opt m.mlir --ein-to-plan=set=parallelism.stage=2 -o out.mlir
# expect: plc-opt: error: --set parallelism.stage=2: unknown key 'parallelism.stage'; the nearest is 'parallelism.stages'
write("m.mlir", ir("ein"))
