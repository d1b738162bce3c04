# run: plc-compile line.ein --strategy a.toml --strategy b.toml -o out.plcm
# exit: 2
# expect: plc-compile: error: option '--strategy' is given twice
write("a.toml", "")
write("b.toml", "")
