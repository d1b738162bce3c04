# run: plc-compile line.ein --strategy s.toml -o out.plcm
# exit: 2
# expect: s.toml:1:264: error: while parsing value: exceeded maximum nested value depth of 256 (TOML_MAX_NESTED_VALUES)
write("s.toml", "mode = " + "[" * 10**5 + "]" * 10**5 + "\n")
