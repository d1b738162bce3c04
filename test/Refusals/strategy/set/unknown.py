# run: plc-compile line.ein --set parallelism.stagse=2 -o out.plcm
# exit: 2
# expect: plc-compile: error: --set parallelism.stagse=2: unknown key 'parallelism.stagse'; the nearest is 'parallelism.stages'
