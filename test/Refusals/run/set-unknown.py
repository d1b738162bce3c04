# run: plc-run infer line.plcm --set machine.threads=2
# exit: 2
# expect: plc-run: error: key 'machine.threads' is fixed when a module is compiled; at run time only 'machine.threads_per_stage', 'machine.transport' and 'training.nonfinite' can be set
