# run: plc-compile line.ein --strategy s.toml -o out.plcm
# exit: 2
# expect: s.toml:2:11: error: 'parallelism.stages' is 0 but must be at least 1
write("s.toml", b"[parallelism]\n\tstages =\t0\n")
