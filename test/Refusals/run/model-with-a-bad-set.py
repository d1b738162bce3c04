# run: plc-run bench line.ein --set parallelism.stages=0
# exit: 2
# expect: plc-compile: error: --set parallelism.stages=0: 'parallelism.stages' is 0 but must be at least 1
