# run: plc-compile line.ein --strategy s.toml -o out.plcm
# exit: 2
# expect: s.toml:2:10: error: 'parallelism.stages' is 0 but must be at least 1
write("s.toml", b"[parallelism]\r\nstages = 0\r\n")
