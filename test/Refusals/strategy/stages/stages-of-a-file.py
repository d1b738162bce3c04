# run: plc-compile line.ein --strategy s.toml -o out.plcm
# exit: 3
# expect: line.ein:7:7: error: no plan fits: 2 stages but model 'line' has 1 layer calls to cut
# expect: s.toml:1:37: note: 'parallelism.stages' is given here
write("s.toml", 'parallelism = { schedule = { file = "x.csv" } }\n')
write("x.csv", "0F0,0B0\n1F0,1B0\n")
