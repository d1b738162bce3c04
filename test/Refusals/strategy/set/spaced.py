# run: plc-compile line.ein --set 'parallelism. stages = 0' -o out.plcm
# exit: 2
# expect: plc-compile: error: --set parallelism. stages = 0: unknown key 'parallelism. stages'; the nearest is 'parallelism.stages'
