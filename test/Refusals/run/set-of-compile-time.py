# run: plc-run infer line.plcm --set parallelism.stages=2
# exit: 2
# expect: plc-run: error: key 'parallelism.stages' is fixed when a module is compiled: [parallelism] shapes the plan
