# run: plc-run infer line.plcm --set machine.threads_per_stage
# exit: 2
# expect: plc-run: error: found 'machine.threads_per_stage' for '--set', expected KEY=VALUE
