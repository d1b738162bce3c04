# run: plc-compile line.ein --set optimizer.group.0.lr=1 -o out.plcm
# exit: 2
# expect: plc-compile: error: --set optimizer.group.0.lr=1: 'optimizer.group' is a list of tables: write '[[optimizer.group]]' before each group's keys
