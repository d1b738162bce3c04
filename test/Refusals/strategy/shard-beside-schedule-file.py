# run: plc-compile line.ein --strategy s.toml -o out.plcm
# exit: 2
# expect: s.toml:1:56: error: 'parallelism.schedule.file' places whole stages, but 'parallelism.shard' divides each among 2 ranks
write("s.toml", 'parallelism = { shard = { I = 2 }, schedule = { file = "x.csv" } }\n')
write("x.csv", "0F0,0B0\n1F0,1B0\n")
