# run: plc-run infer line.plcm --set machine.threads=2
# exit: 2
# expect: plc-run: error: key 'machine.threads' is fixed when a module is compiled: of [machine] only 'machine.threads_per_stage' and 'machine.transport' can be set for a run
