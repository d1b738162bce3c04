# run: plc-compile two.ein --strategy s.toml -o out.plcm
# exit: 2
# expect: s.toml:2:8: error: schedule 's.csv': the order never ends, these wait: stage 0, {{[BW]}} of micro-batch 0; stage 1, B of micro-batch 0
# expect: two.ein:7:7: note: the model stands here
write("two.ein", TWO)
write("s.toml", '[parallelism.schedule]\nfile = "s.csv"\n')
write("s.csv", "0F0,0B0\n1B0,1F0\n")
