# run: plc-compile line.ein --set parallelism.stages=two -o out.plcm
# exit: 2
# expect: plc-compile: error: --set parallelism.stages=two: 'parallelism.stages' needs an integer
