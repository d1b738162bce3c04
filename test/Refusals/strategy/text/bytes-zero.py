# run: plc-compile line.ein --strategy s.toml -o out.plcm
# exit: 2
# expect: s.toml:1:14: error: while parsing key-value pair: expected a comment or whitespace, saw '\u0000'
write("s.toml", b"mode = \"lazy\"\0\n")
