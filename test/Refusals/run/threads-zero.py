# run: plc-run infer line.plcm --set machine.threads_per_stage=0
# exit: 2
# expect: plc-run: error: found '0' for key 'machine.threads_per_stage', expected 1 to 256
