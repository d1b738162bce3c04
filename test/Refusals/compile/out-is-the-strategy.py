# run: plc-compile line.ein --strategy how.toml -o ./how.toml
# exit: 2
# expect: plc-compile: error: -o would overwrite the strategy 'how.toml'
write("how.toml", "preset = \"debug\"\n")
