# run: plc-run infer line.plcm --check-arena=yes
# exit: 2
# expect: plc-run: error: found '--check-arena=yes', but option '--check-arena' has no value
