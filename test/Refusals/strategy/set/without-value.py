# run: plc-compile line.ein --set parallelism.stages -o out.plcm
# exit: 2
# expect: plc-compile: error: --set parallelism.stages: needs KEY=VALUE
