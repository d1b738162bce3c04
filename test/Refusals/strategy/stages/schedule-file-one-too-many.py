# run: plc-compile line.ein --set parallelism.schedule.file=s.csv -o out.plcm
# exit: 2
# expect: s.csv:2:9: error: '1F1' is one too many: stage 0 has 1 micro-batch
# A byte order mark in front counts for nothing.
write("s.csv", "\ufeff0F0,0B0\n1F0,1B0,1F1\n")
