# run: plc-compile line.ein --strategy s.toml -o out.plcm
# exit: 2
# expect: plc-compile: error: cannot read strategy 's.toml': No such file or directory
