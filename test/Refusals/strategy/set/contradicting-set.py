# run: plc-compile line.ein --set parallelism.stages=2 --set parallelism.kind=none -o out.plcm
# exit: 2
# expect: plc-compile: error: --set parallelism.kind=none: 'parallelism.stages' is 2 but 'parallelism.kind' is "none"; write "pipeline"
